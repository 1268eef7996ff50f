// JSON-line logs on stderr: constant text, data in fields. Never bodies, never secrets.
// Thread-safe. A closed or full stderr is survived: lines are dropped and counted.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "common/json/json.h"

namespace mlprof {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
using LogFields = std::initializer_list<std::pair<const char*, Json>>;

void SetLogLevel(LogLevel level);
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

}  // namespace mlprof
