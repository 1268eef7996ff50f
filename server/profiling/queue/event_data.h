// What an event says, as it is stored and sent: JSON on one line, of a bounded length. Pure.
#pragma once

#include <string>

#include "common/json/json.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// No event's data is longer; it is held in memory once for each of its readers.
inline constexpr Bytes kLongestEvent = KiB(256);

/// Of an object that is longer the longest members give way until it fits: of a text only the end
/// is kept, as of a log, and what is no text is left out. The whole is with the profile itself.
std::string EventData(Json data);

}  // namespace mlprof::server
