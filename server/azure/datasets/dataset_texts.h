// The rows of datasets as texts, for clients that read them by ranges of bytes. Made when first
// asked for, one at a time, and the last few kept as files: a text may have many GiB.
// Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/domain/row_source.h"
#include "common/http/message.h"
#include "common/result/result.h"

namespace mlprof::server {

class ContentStore;

class DatasetTexts {
 public:
  explicit DatasetTexts(ContentStore& content) : content_(content) {}

  using OpenRows = std::function<Result<std::unique_ptr<RowSource>>()>;
  /// The text of the rows with this digest, which `open` gives where it is not kept; its own digest
  /// is left empty. The file goes with its last owner. kInvalidArgument for a row that is no text.
  Result<SpooledBody> Get(const std::string& rows_sha256, const OpenRows& open);

 private:
  struct Kept {
    std::string rows_sha256;
    SpooledBody text;
  };
  std::optional<SpooledBody> Find(const std::string& rows_sha256);
  Result<SpooledBody> Make(const OpenRows& open);

  ContentStore& content_;
  std::mutex making_;  // so that many callers make one
  std::mutex mutex_;   // of what follows; taken after the other
  std::deque<Kept> newest_first_;
};

}  // namespace mlprof::server
