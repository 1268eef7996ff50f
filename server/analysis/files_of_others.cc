#include "server/analysis/files_of_others.h"

#include <algorithm>
#include <vector>

#include "common/domain/resource_rules.h"
#include "common/units/size_text.h"

namespace mlprof::server {
namespace {

constexpr std::int64_t kLeastPart = 20;  // of the limit

}  // namespace

Bytes FilesOfOthers(std::span<const Sample> samples, Bytes limit) {
  std::vector<Bytes> told;
  for (const Sample& sample : samples) {
    if (sample.uncharged_file) told.push_back(*sample.uncharged_file);
  }
  if (told.empty()) return {};
  const auto median = told.begin() + static_cast<std::ptrdiff_t>(told.size() / 2);
  std::nth_element(told.begin(), median, told.end());
  return *median < std::max(kMemoryQuantum, Bytes(limit.count() / kLeastPart)) ? Bytes() : *median;
}

std::string UnpaidText(Bytes files) {
  return SizeText(files) +
         " of files that the model has mapped are charged to another container of this machine, "
         "which has them mapped too";
}

}  // namespace mlprof::server
