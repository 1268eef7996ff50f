#include "server/registry/uncommitted_content.h"

#include <filesystem>

#include "common/log/log.h"
#include "server/registry/content_references.h"
#include "server/storage/database.h"

namespace mlprof::server {
namespace {

bool HasTree(const ContentStore& content, const std::string& sha256) {
  std::error_code error;
  return std::filesystem::exists(content.TreePath(sha256), error);
}

}  // namespace

UncommittedContent::UncommittedContent(Database& database, ContentStore& content,
                                       std::string sha256)
    : database_(database),
      content_(content),
      sha256_(std::move(sha256)),
      claim_(std::in_place, content_, sha256_) {
  // Whether there is a tree and how many claims have ended are read under one lock and under the
  // claim. Otherwise a tree that appears in between would be taken for ours and removed although a
  // row needs it, and one that goes in between would be taken for another's, and ours be left.
  const auto lock = content_.Lock();
  had_tree_ = HasTree(content_, sha256_);
  ended_claims_ = content_.ended_claims();
}

UncommittedContent::~UncommittedContent() {
  if (kept_) return;
  try {
    TakeBack();
  } catch (...) {
    LogThrown("content left behind", sha256_);
  }
}

void UncommittedContent::TakeBack() {
  claim_.reset();
  ForgetContent(database_, content_, {&sha256_, 1});
  // ForgetContent leaves both where a row needs the file. Such a row may need no tree (a blob's has
  // none): then the tree that we made goes by itself.
  if (had_tree_ || !database_.Health()) return;
  if (Status removed = content_.RemoveTree(sha256_, ended_claims_ + 1); !removed) {
    LogWarn("content left behind", {{"reason", removed.error().message()}});
  }
}

}  // namespace mlprof::server
