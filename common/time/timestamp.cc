#include "common/time/timestamp.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace mlprof {

Timestamp Now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string FormatTimestamp(Timestamp when) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
  const auto fraction = static_cast<int>((when - seconds).count());
  const std::time_t time = seconds.time_since_epoch().count();
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900,
                utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, fraction);
  return text.data();
}

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  std::tm utc{};
  int milliseconds = 0;
  int end = 0;
  const std::string copy(text);
  const int fields =
      std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &utc.tm_year, &utc.tm_mon,
                  &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &end);
  if (fields != 6) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(end));
  if (rest.size() == 5 && rest[0] == '.') {
    if (std::sscanf(std::string(rest).c_str(), ".%3dZ", &milliseconds) != 1) return std::nullopt;
    rest.remove_prefix(4);
  }
  if (rest != "Z") return std::nullopt;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  const std::time_t seconds = timegm(&utc);
  return Timestamp(std::chrono::seconds(seconds)) + std::chrono::milliseconds(milliseconds);
}

}  // namespace mlprof
