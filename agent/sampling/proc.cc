#include "agent/sampling/proc.h"

#include <unistd.h>

#include <charconv>
#include <ctime>

namespace mlprof::agent {

std::chrono::nanoseconds OwnCpuTime() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::optional<double> ParsePressure(std::string_view text) {
  constexpr std::string_view kStart = "some avg10=";
  if (!text.starts_with(kStart)) return std::nullopt;
  text.remove_prefix(kStart.size());
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc()) return std::nullopt;
  return percent;
}

std::optional<std::chrono::nanoseconds> ParseStallTime(std::string_view text) {
  constexpr std::string_view kTotal = " total=";
  if (!text.starts_with("some ")) return std::nullopt;
  const std::size_t at = text.substr(0, text.find('\n')).find(kTotal);
  if (at == std::string_view::npos) return std::nullopt;
  const auto total = ParseNumber(text.substr(at + kTotal.size()));
  if (!total) return std::nullopt;
  return std::chrono::microseconds(*total);
}

Bytes ParseAnonymous(std::string_view statm, long page_size) {
  std::int64_t fields[3] = {0, 0, 0};  // size, resident, shared
  for (std::int64_t& field : fields) {
    field = ParseNumber(statm).value_or(0);
    const std::size_t space = statm.find(' ');
    statm.remove_prefix(space == std::string_view::npos ? statm.size() : space + 1);
  }
  return Bytes(std::max<std::int64_t>(0, fields[1] - fields[2]) * page_size);
}

ProcReader::ProcReader(const std::string& proc)
    : statm_(proc + "/self/statm"), pressure_(proc + "/pressure/cpu") {}

Bytes ProcReader::OwnMemory() const {
  static const long page_size = ::sysconf(_SC_PAGESIZE);
  return ParseAnonymous(statm_.Read().value_or(""), page_size);
}

std::optional<double> ProcReader::HostCpuPressure() const {
  const auto text = pressure_.Read();
  return text ? ParsePressure(*text) : std::nullopt;
}

}  // namespace mlprof::agent
