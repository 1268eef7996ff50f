#include "server/profiling/phases/device_memory.h"

#include <algorithm>
#include <utility>

#include "server/analysis/device_settings.h"
#include "server/analysis/limit_search.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::seconds kTryTime{1};
// Of the look that the answer is judged beside, which has as many requests as p99 takes.
constexpr std::chrono::seconds kSpeedTime{3};
constexpr std::chrono::seconds kLongestSpeed{15};
// What growth saves less than is not worth a setting that somebody has to keep, and may be chance.
constexpr int kWorthwhilePercent = 95;
// A cap that binds makes the model take less than it grew to, by as much.
bool IsWorthwhile(Bytes taken, Bytes before) {
  return 100 * taken.count() <= kWorthwhilePercent * before.count();
}
// Of the cap that held, which the search may leave between it and one that did not.
constexpr double kCapTolerance = 0.05;
constexpr int kMostCaps = 6;
// Of a share of errors that is known, in a run of some score of rows.
constexpr double kMoreByChance = 2;
// Over the least cap that held, as over any other need that fresh containers then prove.
constexpr int kCapPercent = 110;

const char* TextOf(DeviceMemoryFrom from) {
  switch (from) {
    case DeviceMemoryFrom::kAccounting: return "accounting";
    case DeviceMemoryFrom::kRuntime: return "runtime";
    case DeviceMemoryFrom::kProcesses: break;
    case DeviceMemoryFrom::kWholeDevice: return "device";
  }
  return "processes";
}

std::optional<double> LargestMean(const DeviceUse& use,
                                  std::vector<SeriesPoint> OneDeviceUse::*points,
                                  std::chrono::nanoseconds from, std::chrono::nanoseconds to) {
  std::optional<double> largest;
  for (const OneDeviceUse& device : use.devices) {
    largest = std::max(largest, MeanBetween(device.*points, from, to));
  }
  return largest;
}

// The image's, too: what is said there of a pool is kept.
DeviceSettings OwnVariables(const Subject& subject) {
  DeviceSettings own = subject.image.environment;
  for (const auto& [name, value] : subject.config.environment_variables) own[name] = value;
  return own;
}

// One way to take memory, tried in a fresh container.
struct Tried {
  bool held = false;  // every row was answered
  std::optional<Bytes> peak;
};

class Search {
 public:
  Search(Lab& lab, Yardstick yardstick, DeviceFindings seen)
      : lab_(lab),
        yardstick_(std::move(yardstick)),
        total_(lab.ceiling().device_memory()->each),
        own_(OwnVariables(lab.subject())),
        others_(yardstick_.setup.environment) {
    facts_.found = std::move(seen);
    facts_.found.needed = facts_.found.reserved;
  }

  PhaseResult<DeviceMemoryFacts> Go() {
    if (MayGoOn()) {
      MLPROF_LET(grown, Try(GrowthSettings(own_), "taking device memory as it is asked for"));
      TakeGrowth(grown);
      if (grown.held && grown.peak) {
        if (auto capped = TryCaps(*grown.peak); !capped) return tl::unexpected(capped.error());
      }
    }
    facts_.need = {facts_.found.needed, lab_.ceiling().device_memory()->count};
    facts_.reference = facts_.without = yardstick_.reference;
    if (!facts_.environment.empty()) {
      if (auto seen = SeeSpeed(); !seen) return tl::unexpected(seen.error());
    }
    return std::move(facts_);
  }

 private:
  void TakeGrowth(const Tried& grown) {
    if (!grown.held || !grown.peak) return;
    if (!IsWorthwhile(*grown.peak, facts_.found.reserved)) return;
    facts_.found.needed = *grown.peak;
    facts_.found.needed_by = NeededBy::kGrowth;
    facts_.environment = GrowthSettings(own_);
  }

  // Under what growth took it must hold, and under next to nothing it must not: else no cap binds.
  PhaseResult<void> TryCaps(Bytes grown) {
    const Bytes least = RulesOf(ResourceKind::kDeviceMemory).smallest.bytes();
    const Bytes most = RoundUp(grown, kMemoryQuantum);
    if (most <= least || most > total_) return {};
    MLPROF_LET(under_most, TryCap(most));
    if (!under_most || !under_most->held) return {};
    // Twice: a model that reads no cap may fail once of something else.
    for (int attempt = 0; attempt < 2; ++attempt) {
      MLPROF_LET(under_least, TryCap(least));
      if (!under_least || under_least->held) return {};
    }
    MemoryBisection search(least, most, kCapTolerance);
    for (int caps = 2; caps < 2 + kMostCaps; ++caps) {
      const auto cap = search.Next();
      if (!cap) break;
      MLPROF_LET(tried, TryCap(*cap));
      if (!tried) break;
      search.Tell(*cap, tried->held);
      if (tried->held && tried->peak && IsWorthwhile(*tried->peak, grown)) Take(*cap, *tried->peak);
    }
    return {};
  }

  void Take(Bytes cap, Bytes peak) {
    facts_.found.needed = std::min(facts_.found.reserved, peak);
    facts_.found.needed_by = NeededBy::kCap;
    const Amount with_margin = PercentOf(Amount(cap), kCapPercent);
    facts_.environment = CapSettings(own_, std::min(total_, RoundUp(with_margin).bytes()), total_);
  }

  // nullopt where no time is left for it.
  PhaseResult<std::optional<Tried>> TryCap(Bytes cap) {
    if (!MayGoOn()) return std::nullopt;
    MLPROF_LET(tried, Try(CapSettings(own_, cap, total_), "trying a cap of " +
                                                              std::to_string(cap.count() >> 20) +
                                                              " MiB of device memory"));
    return tried;
  }

  // Without an objective for latency the answer must be as fast as the model is without limits.
  // With other settings of its memory it is another model: it is seen with them.
  PhaseResult<void> SeeSpeed() {
    if (!yardstick_.workload.objective.latency_ms.empty()) return {};
    if (!LeavesRoomToProve(lab_.budget(), yardstick_)) {
      facts_.cut_short =
          "no time was left to see how fast the model is with its device's memory limited: the "
          "answer was judged beside the model without these settings";
      return {};
    }
    load_ = {kSpeedTime, RequestsForConfidence(0.99), kLongestSpeed};
    MLPROF_LET(tried, Try(facts_.environment, "seeing how fast it is so"));
    const Reference with = OnlyWith(facts_.without, look_);
    if (!tried.held || !with.p95_ms) return {};
    if (facts_.without.p95_ms && *facts_.without.p95_ms > 0) {
      facts_.slower = *with.p95_ms / *facts_.without.p95_ms;
    }
    facts_.reference = with;
    return {};
  }

  PhaseResult<Tried> Try(const DeviceSettings& settings, const std::string& what) {
    lab_.Progressed(0.5, what);
    yardstick_.setup.environment = others_;
    for (const auto& [name, value] : settings) yardstick_.setup.environment[name] = value;
    LimitedRunPlan plan{lab_.ceiling(), TrialPurpose::kDeviceMemory, load_};
    plan.once = true;  // how fast it was is no matter of memory
    MLPROF_LET(run, RunAtLimits(lab_, yardstick_, plan));
    const Measurements& measured = run.trial.measurements;
    const auto failures = measured.total_queries - measured.success_queries;
    look_ = run.look;
    Tried tried;
    tried.held = !run.latencies.empty() && !run.failed_in_burst && IsUsual(failures, measured);
    const auto& device = lab_.closed().back().device;
    if (device) tried.peak = device->Peak();
    return tried;
  }

  // Rows that fail without a cap, too, come as often as there.
  bool IsUsual(std::int64_t failures, const Measurements& measured) const {
    const double usual = yardstick_.reference.error_share;
    return static_cast<double>(failures) <=
           kMoreByChance * usual * static_cast<double>(measured.total_queries);
  }

  bool MayGoOn() {
    if (!end_.Passed() && LeavesRoomToProve(lab_.budget(), yardstick_)) return true;
    facts_.cut_short = "the budget was used up before the need was found";
    return false;
  }

  Lab& lab_;
  Yardstick yardstick_;
  const Bytes total_;
  const DeviceSettings own_;
  const std::map<std::string, std::string> others_;  // that won before
  const Deadline end_ = lab_.budget().AtMost(lab_.budget().Left() / 2);
  LoadTime load_ = {kTryTime, RequestsForConfidence(0.95), 2 * kTryTime};
  Look look_;  // of the newest run
  DeviceMemoryFacts facts_;
};

}  // namespace

std::optional<DeviceFindings> SeeDevices(const std::vector<ContainerFacts>& closed,
                                         std::chrono::nanoseconds from,
                                         std::chrono::nanoseconds to) {
  DeviceFindings found;
  DeviceMemoryFrom source = DeviceMemoryFrom::kAccounting;
  bool any = false;
  for (const ContainerFacts& container : closed) {
    if (!container.served_model || !container.device) continue;
    const DeviceUse& use = *container.device;
    found.kind = use.kind;
    if (const auto peak = use.Peak()) {
      found.reserved = std::max(found.reserved, *peak);
      source = std::max(source, use.PeakFrom());
      any = true;
    }
    const auto see = [&](std::optional<double>& figure,
                         std::vector<SeriesPoint> OneDeviceUse::*points) {
      figure = std::max(figure, LargestMean(use, points, from, to));
    };
    see(found.busy, &OneDeviceUse::busy);
    see(found.memory_busy, &OneDeviceUse::memory_busy);
    see(found.watts, &OneDeviceUse::watts);
    for (const OneDeviceUse& device : use.devices)
      found.missing.insert(device.missing.begin(), device.missing.end());
  }
  if (!any) return std::nullopt;
  // A container that died before it had the device tells nothing of it.
  found.missing.erase("memory");
  found.needed = found.reserved;
  found.memory_from = TextOf(source);
  return found;
}

PhaseResult<DeviceMemoryFacts> MeasureDeviceMemory(Lab& lab, Yardstick yardstick,
                                                   DeviceFindings seen) {
  return Search(lab, std::move(yardstick), std::move(seen)).Go();
}

}  // namespace mlprof::server::phases
