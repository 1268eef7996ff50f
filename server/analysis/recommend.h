// From what a model was seen to need of each resource in the ample container to requested limits,
// and from a failed verification to the next try: the same for every resource. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/recommendation.h"
#include "server/analysis/beside_reference.h"

namespace mlprof::server {

/// How full cores may be that serve a rate: its bursts need room (the usual mark for scaling out).
inline constexpr double kUtilizationOfRate = 0.70;

/// The need of one resource, whichever it is, and the limit that is made of it: with its margin, on
/// its grid, with the sentence behind it.
class ResourceNeed {
 public:
  /// What was used: no limit that is known to be less.
  virtual Amount Used() const = 0;
  /// The limit to try first, on the grid, with the margin of one that is going to be verified.
  virtual Amount Asked() const = 0;
  /// With the margin of one that nobody verifies.
  virtual Amount Ample() const = 0;
  /// What was seen of it: how the reason for a limit begins.
  virtual std::string Seen() const = 0;
  /// How Asked() follows, as `requested` on the grid: how the reason for that limit ends.
  virtual std::string Follows(const Amount& requested) const = 0;

 protected:
  ResourceNeed() = default;
  ~ResourceNeed() = default;
  ResourceNeed(const ResourceNeed&) = default;
  ResourceNeed& operator=(const ResourceNeed&) = default;
};

class CpuNeed final : public ResourceNeed {
 public:
  double cores = 0;  // mean use under the objective's load
  /// How full the cores may be: 1 for a closed loop, which fills whatever it gets, else
  /// kUtilizationOfRate.
  double utilization = 1;
  /// With fewer the model would not start in time; no cores: nothing is known of that.
  Cores to_start;
  /// The rows were measured while other work ran, which makes `cores` too low if anything: nothing
  /// is taken off it.
  bool noisy = false;

  Amount Used() const override;
  /// Mean use by utilization, less 3% on a quiet host and 0.01; what it takes to start, if that is
  /// more.
  Amount Asked() const override;
  Amount Ample() const override;
  std::string Seen() const override;
  std::string Follows(const Amount& requested) const override;

 private:
  Cores ForServing() const;
};

class MemoryNeed final : public ResourceNeed {
 public:
  Bytes start_peak;    // unreclaimable, largest over all cold starts
  Bytes start_spread;  // largest minus median start peak
  Bytes serving_peak;  // unreclaimable, under load
  Bytes hot_file;      // file pages that serving needs resident
  // Beyond what was seen at the ceiling, under load:
  Bytes successors;       // of workers that are there before those they replace have gone
  Bytes meeting;          // requests of a rate that meet at the limit, where they stay longer
  int in_flight = 1;      // requests of a rate that it is for
  Bytes files_of_others;  // that the containers at limits did not pay for (files_of_others.h)
  Bytes agent_memory;     // runs inside the same limit, so it is added

  /// As it counts against a limit: the larger peak with the agent's own added, and the files that
  /// others paid for.
  Bytes Floor() const;
  Amount Used() const override { return Floor(); }
  /// The floor with its margin, and the spread (0 where the start decides, whose maximum is counted
  /// already).
  Amount Asked() const override;
  Amount Ample() const override;
  std::string Seen() const override;
  std::string Follows(const Amount& requested) const override;

 private:
  bool StartDecides() const { return start_peak >= UnderLoad(); }
  Bytes UnderLoad() const { return serving_peak + successors + meeting + hot_file; }
  Amount WithMargin(int percent) const;
};

class DeviceMemoryNeed final : public ResourceNeed {
 public:
  DeviceMemory peak;  // needed rather than reserved, on the device that took the most

  Amount Used() const override { return peak; }
  Amount Asked() const override;
  Amount Ample() const override;
  std::string Seen() const override;
  std::string Follows(const Amount& requested) const override;
};

struct MeasuredNeed {
  CpuNeed cpu;
  MemoryNeed memory;
  std::optional<DeviceMemoryNeed> device_memory;  // absent: none measured

  /// nullptr where nothing was measured; valid as long as this is.
  const ResourceNeed* Find(ResourceKind kind) const;
};

/// What each need asks for. Never above `ceiling` nor below the smallest limits. What the ceiling
/// does not have is absent; what it has and nobody measured stays at the ceiling.
Limits FirstAnswer(const MeasuredNeed& need, const Limits& ceiling);

/// How far what failed was from holding: kSmall where the model served, and was somewhat slow;
/// kOfHeap where a heap was nearly full that gets a part of what is raised.
enum class Shortfall { kUnknown, kSmall, kOfHeap };

/// One step more of `shortage` (OneStepHigher, SmallStepHigher), or twice as much. nullopt where
/// the ceiling leaves no room, or has none of it.
std::optional<Limits> Raise(const Limits& tried, ResourceKind shortage, const Limits& ceiling,
                            Shortfall shortfall = Shortfall::kUnknown);

/// A limit that was tried and failed, for the lower bounds.
struct FailedTry {
  Limits limits;
  ResourceKind shortage;
  std::optional<Tail> tail = {};  // where its slowest requests alone made it fail
  /// It was slow while other work used the host: it raised the answer and bounds nothing.
  bool disturbed = false;
  int passes = 0;  // of other runs at the same limits, before it
  /// Of a heap that collects: Verdict::collecting_cost.
  std::optional<double> collecting_cost = {};
  /// It served, every row where that matters, and read no files back for want of memory.
  bool content_with_memory = false;
};

/// The recommendation at `limits`, with a bound of each resource that was measured. `held`: amounts
/// with which a run held the objective. A reason says of a limit only what `failed` and `held`
/// show.
Recommendation Recommend(const Limits& limits, const MeasuredNeed& need, const Limits& ceiling,
                         const std::vector<FailedTry>& failed,
                         const std::vector<Amount>& held = {});

/// The resources whose limit in `limits` was raised by nothing but runs that were disturbed.
std::vector<ResourceKind> RaisedByNoise(const Limits& limits, const std::vector<FailedTry>& failed);

}  // namespace mlprof::server
