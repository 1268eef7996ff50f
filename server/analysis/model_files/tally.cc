#include "server/analysis/model_files/tally.h"

#include <algorithm>

namespace mlprof::server {
namespace {

constexpr std::int64_t kMostInAll = std::int64_t{1} << 55;
constexpr std::int64_t kMostTensors = 1'000'000;

}  // namespace

Status Tally::Add(std::string_view type, std::int64_t elements, std::int64_t bytes) {
  if (elements < 0 || bytes < 0 || elements > kMostInAll - elements_ ||
      bytes > kMostInAll - bytes_) {
    return Fail(InvalidArgument("its tensors are larger than any memory"));
  }
  if (++tensors_ > kMostTensors) {
    return Fail(InvalidArgument("it has more tensors than any model that is known"));
  }
  elements_ += elements;
  bytes_ += bytes;
  auto found = by_type_.find(type);
  if (found == by_type_.end()) {
    found = by_type_.emplace(type, TypedParameters{std::string(type), 0, Bytes()}).first;
  }
  found->second.parameters += elements;
  found->second.bytes += Bytes(bytes);
  return {};
}

std::vector<TypedParameters> Tally::ByType() const {
  std::vector<TypedParameters> by_type;
  for (const auto& [type, typed] : by_type_) by_type.push_back(typed);
  std::ranges::stable_sort(by_type, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return by_type;
}

}  // namespace mlprof::server
