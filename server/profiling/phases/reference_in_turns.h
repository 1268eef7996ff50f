// The reference once more, in turns with a limit that was slow beside it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "server/profiling/lab/lab.h"
#include "server/profiling/phases/reference.h"

namespace mlprof::server::phases {

struct TurnPlan {
  bool fresh = false;         // a connection for each request
  bool tail_counts = false;   // the run has the requests that p99 takes
  bool tail_decides = false;  // and may be slow for its slowest requests alone
  std::chrono::nanoseconds longest{0};
  /// All memory as well, for good: what the limit dropped of the model's files is read again first.
  bool all_memory = false;
};

/// The CPU time of a load's requests over that of the median look of the reference. nullopt where
/// there are fewer than p95 takes, or rows come but once.
std::optional<double> CostBeside(const Reference& reference, const Workload& workload,
                                 const Container& container, const ReplayResult& load);
/// Likewise of another look.
std::optional<double> CostBeside(const Reference& reference, const Look& look);
/// Whether that shows another host than the reference's: no quota makes a request cheaper, and none
/// makes it clearly dearer.
bool IsOnFasterHost(const std::optional<double>& cost);
bool IsOnSlowerHost(const std::optional<double>& cost);
/// Whether it is so far off that few hosts change as much while a profile is made.
bool IsAnotherHost(double cost);

/// Of another p95, beside which a limit holds up to 1.10. Chosen, not measured.
inline constexpr double kClearlySlow = 1.25;

/// A load that a container has borne.
struct BorneLoad {
  const Workload& workload;
  const Container& container;
  const ReplayPlan& plan;
  const ReplayResult& replay;
};

/// Slower than the reference may be, of a closed loop that the quota stopped for more than
/// throughput forgives, even if every core of the host was stopped each time and counted: the host
/// did not do it.
bool IsStoppedTooLong(const Lab& lab, const BorneLoad& load, const Reference& beside);

/// That, or so slow beside the reference that no quiet host makes the difference, nor one that
/// became slower: more requests, or a turn with the reference, would show nothing else. The setup
/// must be the reference's.
bool IsClearlySlow(const Lab& lab, const BorneLoad& load, const Reference& beside);

/// The reference as it would be on a host that has become slower, by what requests cost, where the
/// load holds beside that, and beside itself as it may have been without the quota's stops: one
/// that stops it for so little makes no request much dearer either. nullopt where it does not hold
/// so, where its requests cost no more than in the reference, or so much more that few hosts become
/// as slow, and where the stops are not counted. `holds`: whether the load does beside a reference.
std::optional<Reference> OnSlowerHost(const BorneLoad& load, const Reference& beside,
                                      const std::function<bool(const Reference&)>& holds);

/// A look in `container` with its CPU limit lifted to the ceiling, and set again afterwards unless
/// memory was lifted too. nullopt where a limit could not be set, where files were read back with
/// all memory, or the look saw fewer requests than what it is to judge takes: beside fewer than p99
/// takes, a run whose p99 was too slow would pass.
std::optional<Look> LookWithoutLimit(Lab& lab, const Yardstick& yardstick, Container& container,
                                     const TurnPlan& turn);

}  // namespace mlprof::server::phases
