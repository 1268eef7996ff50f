#include "agent/sampling/process_status.h"

#include "agent/sampling/kept_file.h"

namespace mlprof::agent {
namespace {

// "Name:\t   123 kB"; `name` begins with the line before's end. Cuts the text up to it: the lines
// are asked for in the order in which they stand.
std::optional<std::int64_t> Take(std::string_view& status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  status.remove_prefix(at + name.size());
  const std::size_t digits = status.find_first_not_of(" \t");
  if (digits == std::string_view::npos) return std::nullopt;
  return ParseNumber(status.substr(digits));
}

}  // namespace

std::optional<ProcessStatus> ParseProcessStatus(std::string_view status) {
  const auto high_water = Take(status, "\nVmHWM:");
  const auto resident = Take(status, "\nVmRSS:");
  const auto file = Take(status, "\nRssFile:");
  const auto threads = Take(status, "\nThreads:");
  if (!high_water || !resident || !file || !threads) return std::nullopt;
  return ProcessStatus{KiB(*high_water), KiB(*resident), KiB(*file), static_cast<int>(*threads)};
}

}  // namespace mlprof::agent
