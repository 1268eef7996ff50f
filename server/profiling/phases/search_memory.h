// Phase "searchMemory": how much of the files it has mapped the model needs resident, where those
// are more than the margin would hold. Fresh containers between what cannot be given back and the
// peak with its files: a live limit is never lowered below use, which kills.
#pragma once

#include "server/analysis/recommend.h"
#include "server/profiling/phases/limited_run.h"

namespace mlprof::server::phases {

/// Where a search is worth its containers; nothing where one step is all there is.
struct MemoryRange {
  Bytes low;   // what the need asks for without them
  Bytes high;  // with all that was mapped
};
/// `mapped_file`: the largest amount seen mapped in the ample container. Pure.
std::optional<MemoryRange> RangeOfMappedFiles(const MeasuredNeed& need, const Limits& ceiling,
                                              Bytes mapped_file);

struct HotFileFacts {
  std::optional<Bytes> hot_file;  // absent: what is mapped need not stay
  Reference reference;            // with the looks so far
};

/// `range`: whose lower end was seen to be too little.
PhaseResult<HotFileFacts> SearchMemory(Lab& lab, Yardstick yardstick, const MeasuredNeed& need,
                                       const MemoryRange& range);

}  // namespace mlprof::server::phases
