// Thread pools that count the host's cores instead of the quota, and what to set instead. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/units/cores.h"

namespace mlprof::server {

/// What was seen of a model that serves. `threads` of all processes together.
struct ThreadPoolEvidence {
  int threads = 0;
  int processes = 0;
  std::vector<std::string> libraries;              // mapped: "libgomp", "libopenblas"…
  std::map<std::string, std::string> environment;  // what the caller set himself
  bool entry_script = false;                       // served by mlprof's own server
  Cores limit;
  double throttled_share = 0;  // of the CFS periods at this limit
  /// That the model sees: pools that ask for the cores they may run on find these, those that count
  /// the machine's find no fewer.
  int visible_cores = 1;
  int host_cores = 1;  // the machine's
  /// Requests meet by chance, and with them the threads of servers that give each connection one:
  /// without a known library threads are then no sign of a pool.
  bool random_arrivals = false;
};

/// Whether trying another size is worth a container: the limit is below the visible cores, a
/// process runs at least as many threads as those (one more where no pool library is known) and
/// more than the limit can run, or as many processes serve as servers start by counting cores; and
/// the quota throttled more than 5% of the periods.
bool PoolsSuspected(const ThreadPoolEvidence& evidence);

/// Environment variables that size the pools seen to `size` threads (at least 1), and the number of
/// server processes where it looks like the host's. Never a variable the caller set, nor one that
/// would overrule his (OMP_NUM_THREADS counts for MKL and OpenBLAS too). nullopt where nothing is
/// left to set.
std::optional<std::map<std::string, std::string>> SuggestPoolSizes(
    const ThreadPoolEvidence& evidence, int size);

/// What no environment variable can do, as a sentence: ONNX Runtime and TBB take their sizes from
/// the program alone. nullopt where neither is mapped.
std::optional<std::string> AdviseOnPools(const ThreadPoolEvidence& evidence, int size);

}  // namespace mlprof::server
