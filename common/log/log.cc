#include "common/log/log.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "common/log/line_writer.h"
#include "common/time/timestamp.h"

namespace mlprof {
namespace {

constexpr std::array<const char*, 4> kLevelNames = {"debug", "info", "warn", "error"};
std::atomic<LogLevel> minimum_level{LogLevel::kInfo};
std::atomic<std::int64_t> dropped_lines{0};
std::mutex write_mutex;

// The most that waits to be written: minutes of a busy server's lines.
constexpr Bytes kMostWaiting = MiB(1);
// Never destroyed: when the process ends its thread may still be blocked by stderr.
std::atomic<LineWriter*> writer{nullptr};

Json LineOf(LogLevel level, std::string_view event) {
  return {{"time", FormatTimestamp(Now())},
          {"level", kLevelNames.at(static_cast<std::size_t>(level))},
          {"event", std::string(event)}};
}

std::string TellOfDropped(std::int64_t count) {
  Json line = LineOf(LogLevel::kWarn, "stderr took no more, and lines of the log were dropped");
  line["droppedLines"] = count;
  return DumpJson(line) + "\n";
}

void Write(Json line) {
  if (LineWriter* const thread = writer.load()) return thread->Put(DumpJson(line) + "\n");
  const std::lock_guard lock(write_mutex);
  if (const std::int64_t lost = dropped_lines.exchange(0); lost > 0) line["droppedLines"] = lost;
  if (!WriteWhole(STDERR_FILENO, DumpJson(line) + "\n")) ++dropped_lines;
}

std::terminate_handler end_otherwise = nullptr;

// std::terminate is mostly called for a reason that was logged just before: that line is written.
[[noreturn]] void EndFlushed() {
  FlushLog();
  end_otherwise();
  std::abort();
}

}  // namespace

void SetLogLevel(LogLevel level) { minimum_level = level; }

void Log(LogLevel level, std::string_view event, LogFields fields) {
  if (level < minimum_level.load()) return;
  Json line = LineOf(level, event);
  for (const auto& [name, value] : fields) line[name] = value;
  Write(std::move(line));
}

Status StartLogThread() {
  MLPROF_LET(started, LineWriter::Start(STDERR_FILENO, kMostWaiting, TellOfDropped));
  writer = started.release();
  end_otherwise = std::set_terminate(EndFlushed);
  return {};
}

bool FlushLog(std::chrono::milliseconds most) {
  LineWriter* const thread = writer.load();
  return thread == nullptr || thread->Flush(most);
}

namespace {

std::string WhatIsHandled() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

void LogThrown(std::string_view event, std::string_view where) noexcept {
  try {
    LogError(event, {{"where", std::string(where)}, {"why", WhatIsHandled()}});
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody left to tell
  }
}

}  // namespace mlprof
