#include "common/log/log.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "common/time/timestamp.h"

namespace mlprof {
namespace {

constexpr std::array<const char*, 4> kLevelNames = {"debug", "info", "warn", "error"};
std::atomic<LogLevel> minimum_level{LogLevel::kInfo};
std::atomic<std::int64_t> dropped_lines{0};
std::mutex write_mutex;

bool WriteAll(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

void SetLogLevel(LogLevel level) { minimum_level = level; }

void Log(LogLevel level, std::string_view event, LogFields fields) {
  if (level < minimum_level.load()) return;
  Json line = {{"time", FormatTimestamp(Now())},
               {"level", kLevelNames.at(static_cast<std::size_t>(level))},
               {"event", std::string(event)}};
  for (const auto& [name, value] : fields) line[name] = value;
  if (const std::int64_t lost = dropped_lines.exchange(0); lost > 0) line["droppedLines"] = lost;
  const std::lock_guard lock(write_mutex);
  if (!WriteAll(DumpJson(line) + "\n")) ++dropped_lines;
}

}  // namespace mlprof
