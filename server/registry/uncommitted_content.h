// Content whose row is not committed yet.
#pragma once

#include <optional>
#include <string>

#include "server/storage/content_store.h"

namespace mlprof::server {

class Database;

/// Has a claim on content from before it is put in until its row is committed, and takes it back
/// when it goes, unless Keep() was called: whatever kept the row from being committed, an exception
/// too, leaves no file and no tree. What another row refers to stays, and what somebody else has a
/// claim on, and what a commit may bring back that the disk refused: the next start knows. Takes
/// the content store's lock.
class UncommittedContent {
 public:
  UncommittedContent(Database& database, ContentStore& content, std::string sha256);
  ~UncommittedContent();
  UncommittedContent(const UncommittedContent&) = delete;
  UncommittedContent& operator=(const UncommittedContent&) = delete;

  const ContentClaim& claim() const { return *claim_; }
  /// The row is committed.
  void Keep() { kept_ = true; }

 private:
  void TakeBack();

  Database& database_;
  ContentStore& content_;
  const std::string sha256_;
  std::optional<ContentClaim> claim_;
  bool had_tree_ = false;
  std::uint64_t ended_claims_ = 0;  // of all, before this one
  bool kept_ = false;
};

}  // namespace mlprof::server
