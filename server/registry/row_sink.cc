#include "server/registry/row_sink.h"

#include "common/text/utf8.h"
#include "server/registry/row_formats.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMaxFaults =
    20;  // as many as a person mends at once; interface: "at most 20"

}  // namespace

void RowCollector::AddText(std::string_view text) {
  if (const auto at = FirstInvalidUtf8(text)) {
    Refuse("is not UTF-8 at byte " + std::to_string(*at) + "; send bytes as {\"base64\":\"…\"}");
  } else {
    AddBytes(std::string(text));
  }
}

void RowCollector::AddBytes(std::string bytes) {
  ++seen_;
  if (!faults_.empty() || failed_) return;
  ++given_;
  if (auto added = sink_.Add(std::move(bytes)); !added) failed_ = std::move(added).error();
}

void RowCollector::Refuse(std::string detail) {
  faults_.push_back({"/rows/" + std::to_string(seen_), std::move(detail)});
  ++seen_;
}

bool RowCollector::WantsMore() const {
  return seen_ <= kMaxDatasetRows && faults_.size() < kMaxFaults && !failed_;
}

Status RowCollector::Finish() && {
  if (failed_) return Fail(*std::move(failed_));
  if (!faults_.empty()) {
    std::string message = faults_.front().pointer + " " + faults_.front().detail;
    return Fail(Error(ErrorCode::kInvalidArgument, std::move(message), std::move(faults_)));
  }
  if (given_ > kMaxDatasetRows) {
    return Fail(ErrorCode::kTooLarge,
                "the dataset has more than " + std::to_string(kMaxDatasetRows) + " rows");
  }
  if (given_ == 0) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the dataset has no rows",
                      {{"/rows", "must hold at least one row"}}));
  }
  return {};
}

}  // namespace mlprof::server
