// What would let a model do with less memory, in numbers, from what was measured of it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/domain/findings.h"

namespace mlprof::server {

/// A row, and what it took beyond the resting level while it was served alone.
struct RowMemory {
  std::int64_t row = 0;
  Bytes size;
  Bytes rise;
};

/// The same load in fresh containers that held it, without and with a bound on glibc's arenas.
struct ArenaTrial {
  Bytes without;  // unreclaimable, under load
  Bytes with;
};

/// What the need of a model is made of, as far as it was measured: of one that died early most is
/// absent.
struct MemoryMakeUp {
  std::optional<Bytes> start_peak = {};  // unreclaimable, until ready
  std::optional<Bytes> serving = {};     // with all that is added to what was seen under load
  int in_flight = 1;                     // rows at once that it is for
  bool open_loop = false;  // they come when they come: fewer at once would not keep up
  /// The peak with so many rows in flight, of as many numbers as were tried.
  std::map<int, Bytes> peak_by_in_flight = {};
  std::vector<RowMemory> rows = {};              // in any order; see KeepForSavings()
  bool rows_sampled = false;                     // not all of the dataset
  int workers = 1;                               // processes that serve
  std::optional<Bytes> per_worker = {};          // what each has for itself alone
  double busy_cores = 0;                         // mean, under load
  std::optional<Bytes> parameters = {};          // as the model's files store them
  std::optional<Bytes> parameters_in_half = {};  // in bfloat16, where that is less
  Bytes mapped_file = {};                        // the most that was mapped, of files
  std::optional<ArenaTrial> arenas = {};

  /// The larger of the peaks; nullopt where neither is known.
  std::optional<Bytes> Need() const;
};

/// So many rows as are worth keeping of any number: the heaviest, the largest, and others evenly
/// from the whole.
std::vector<RowMemory> KeepForSavings(std::vector<RowMemory> rows);

/// Each with what it takes off the need: nothing is promised of serving where the start decides.
/// The greatest first; those below a twentieth of the need and 8 MiB are left out. They are
/// alternatives: what one saves the next may not save again.
std::vector<MemorySaving> FindMemorySavings(const MemoryMakeUp& make_up);

/// The advice with its figure: "…; saves 96 MiB (measured)".
std::string Sentence(const MemorySaving& saving);

}  // namespace mlprof::server
