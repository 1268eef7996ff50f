// Runtimes whose heap follows the memory limit: a JVM takes a quarter of it unless told otherwise,
// others a share of their own, and garbage is collected only once the heap is full. What such a
// model uses says what it was given, not what it needs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/units/bytes.h"

namespace mlprof::server {

/// The words of a response or a log by which a runtime says that its heap was full ("java.lang.
/// OutOfMemoryError"); nullopt where it says nothing of the kind. Not of a device's memory.
std::optional<std::string> FullHeapWords(std::string_view text);

/// Whether a model took so much less at a lower limit that the limit decides what it takes: at most
/// 0.85 of it, and 32 MiB less. Equal runs of models that keep to themselves differ by 5%.
bool TakesLess(Bytes at_higher_limit, Bytes at_lower_limit);

/// What a process had mapped or reserved when it was ready, under a memory limit.
struct Reserved {
  Bytes limit;
  Bytes address_space;
};

/// Whether a runtime reserves room for its heap by the limit, as a JVM does for the most that it
/// may become one day: a tenth at least of what the limits differ by, and 32 MiB. With the same CPU
/// equal starts of others differ by a few pages; with less of it by the stacks and arenas of the
/// threads that they start for each core. False where either was not told.
bool ReservesByLimit(const Reserved& higher, const Reserved& lower);

/// What a model takes at two memory limits, both of which hold; they are one until less is proven.
struct HeapByLimit {
  Bytes limit;
  Bytes used;
  Bytes higher_limit;
  Bytes used_there;
};

/// A request that takes so many times the CPU it takes with all memory there is, of a model that
/// uses less memory than there, pays for collecting garbage. Chosen: equal runs differ by 10%.
inline constexpr double kCollectingCost = 1.25;

/// So many times a request's cost elsewhere is no chance: equal runs differ by less than that.
/// Chosen.
inline constexpr double kClearlyDearer = 1.1;

}  // namespace mlprof::server
