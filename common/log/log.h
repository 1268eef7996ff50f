// JSON-line logs on stderr: constant text, data in fields. Never bodies, never secrets.
// Thread-safe. A closed or full stderr is survived: lines are dropped, counted, and the count told.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
using LogFields = std::initializer_list<std::pair<const char*, Json>>;

void SetLogLevel(LogLevel level);
/// From now on a thread of its own writes, and no caller of Log waits for stderr: for programs that
/// run on while nobody reads it. Once a process; std::terminate flushes. kResourceExhausted where
/// there is no thread.
Status StartLogThread();
/// Whether all that was logged is written within `most`; at once without that thread. To be called
/// where the process ends.
bool FlushLog(std::chrono::milliseconds most = std::chrono::milliseconds(500));
/// {"time":…,"level":…,"event":…, fields…}
void Log(LogLevel level, std::string_view event, LogFields fields = {});
inline void LogInfo(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kInfo, event, fields);
}
inline void LogWarn(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kWarn, event, fields);
}
inline void LogError(std::string_view event, LogFields fields = {}) {
  Log(LogLevel::kError, event, fields);
}

/// Puts what was thrown into the log, where it ends. Inside a catch block, that of `...` too: logs
/// `event` with `where` and what was thrown. Where even that needs more memory than there is,
/// nothing is logged.
void LogThrown(std::string_view event, std::string_view where) noexcept;

}  // namespace mlprof
