// Maps and sets of the ids of a trace. Whoever wrote the trace chose them: hashed as they are, all
// of them could fall into one bucket, and every look would go through all. Pure, but for the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace mlprof::server::xspace {

/// The finalizer of splitmix64, over a seed that nobody knows before the program runs.
struct IdHash {
  std::size_t operator()(std::int64_t id) const;
};

template <class Value>
using IdMap = std::unordered_map<std::int64_t, Value, IdHash>;

using IdSet = std::unordered_set<std::int64_t, IdHash>;

}  // namespace mlprof::server::xspace
