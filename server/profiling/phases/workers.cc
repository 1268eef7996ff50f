#include "server/profiling/phases/workers.h"

#include <algorithm>
#include <string>

#include "server/analysis/heap.h"
#include "server/analysis/latency.h"
#include "server/analysis/resource_use.h"
#include "server/analysis/sentence.h"
#include "server/profiling/phases/proof_load.h"

namespace mlprof::server::phases {
namespace {

using Policy = agent_protocol::Connections::Policy;

constexpr std::chrono::seconds kCensusTime{5};  // it takes milliseconds
constexpr std::chrono::milliseconds kLookAgain{200};
constexpr std::chrono::seconds kLongestStartOfWorkers{30};  // at a small limit; chosen
constexpr int kConnectionsOfAWorker = 2;                    // in the first bursts
constexpr int kMostDoublings = 2;                           // more would be overload, not reach
constexpr int kMostAtOnce = 128;                            // as many processes as a census tells
constexpr std::size_t kRowsOfAConnection = 2;
// No row of a burst is sent after it: bursts of slow rows are short of rows, not long.
constexpr std::chrono::seconds kBurstTime{5};
constexpr std::chrono::seconds kLongestAtCeiling{60};  // a model's load at first use, chosen
constexpr std::chrono::seconds kFreshTime{3};
constexpr std::chrono::seconds kLeastOfRate{5};  // half of what it takes at most (proof_load.h)
constexpr std::chrono::seconds kLongestFresh{10};

// With a connection for each request others come while a process works. But a row may be too short
// for that; connections that are held, again, may all fall to the process that woke first, which
// takes whatever waits, and where each process has room for one alone the others wait for ever. So
// each size with those that end by themselves first, then both kinds in turn.
ReplayPlan BurstPlan(const Workload& workload, int workers, int attempt) {
  const int turns = attempt - (kMostDoublings + 1);  // in which both kinds take them
  const int doublings = std::min(turns < 0 ? attempt : turns / 2, kMostDoublings);
  const bool held = turns >= 0 && turns % 2 == 0;
  const int per_worker = kConnectionsOfAWorker << doublings;
  const int at_once = std::clamp(per_worker * workers, workload.objective.ConcurrencyOrOne(),
                                 std::max(kMostAtOnce, workload.objective.ConcurrencyOrOne()));
  ReplayPlan plan;
  plan.order = SeededOrder(workload);
  plan.concurrency = at_once;
  plan.connections = held ? agent_protocol::Connections{Policy::kManyHeld, at_once}
                          : agent_protocol::Connections{Policy::kOneARequest, 0};
  plan.max_requests = kRowsOfAConnection * static_cast<std::size_t>(at_once);
  plan.max_time = kBurstTime;
  return plan;
}

double CpuSecondsOf(const agent_protocol::Processes& census) {
  std::chrono::nanoseconds all{0};
  for (const auto& process : census.processes) all += process.cpu_time;
  return std::chrono::duration<double>(all).count();
}

// A server may be ready while some of its workers still start, and those that are spawned get the
// socket only then: as many are waited for as there are known to be.
std::optional<agent_protocol::Processes> AwaitWorkers(Lab& lab, Container& container,
                                                      int expected) {
  const auto give_up = lab.clock().Now() + kLongestStartOfWorkers;
  while (true) {
    auto census = container.TakeCensus(lab.budget().AtMost(kCensusTime));
    const bool enough = census && std::ssize(ServingProcesses(*census)) >= expected;
    const bool over = lab.stopped() || lab.budget().Passed() || lab.clock().Now() >= give_up;
    if (!census || enough || over) return census;
    lab.clock().SleepUntil(lab.clock().Now() + kLookAgain);
  }
}

// Those that did not start were not reached.
WorkerCoverage Expecting(int expected, WorkerCoverage coverage) {
  coverage.risen = coverage.risen && coverage.count >= expected;
  coverage.count = std::max(coverage.count, expected);
  return coverage;
}

bool EndedBadly(const ReplayResult& replay) {
  return replay.target_lost || replay.stopped || replay.cut_off;
}

}  // namespace

std::optional<WorkersSeen> ReachWorkers(Lab& lab, Container& container, const Workload& workload,
                                        const ReplayBurst& replay) {
  const int expected = workload.workers;
  const auto first = AwaitWorkers(lab, container, expected);
  if (expected < 2 && (!first || ServingProcesses(*first).size() < 2)) return std::nullopt;
  // That they could not be counted now does not make them one.
  if (!first) return WorkersSeen{Expecting(expected, {}), 0, 0, 0};
  WorkerWatch watch(workload.cpu_seconds_per_query);
  watch.See(*first, 0);
  WorkersSeen seen;
  seen.coverage = Expecting(expected, watch.Coverage());
  std::int64_t rows = 0;
  const std::int64_t losses = container.Losses();
  const auto began = lab.clock().Now();
  while (seen.tries < kTries && !(seen.coverage.risen && seen.tries > 0)) {
    const ReplayResult burst = replay(BurstPlan(workload, seen.coverage.count, seen.tries));
    ++seen.tries;
    rows += std::ssize(burst.requests);
    // One that was killed is as good as met: what ended it is judged, and would end the next too.
    if (EndedBadly(burst) || container.Losses() > losses) break;
    const auto census = container.TakeCensus(lab.budget().AtMost(kCensusTime));
    if (!census) break;
    watch.See(*census, rows);
    seen.coverage = Expecting(expected, watch.Coverage());
    seen.cpu_seconds = std::max(0.0, CpuSecondsOf(*census) - CpuSecondsOf(*first));
  }
  seen.coverage.bursts = seen.tries;
  seen.seconds = std::chrono::duration<double>(lab.clock().Now() - began).count();
  return seen;
}

PhaseResult<std::optional<WorkersSeen>> ReachAtCeiling(Lab& lab, Container& container,
                                                       const Workload& workload) {
  const Deadline end = lab.budget().AtMost(
      std::min<std::chrono::nanoseconds>(kLongestAtCeiling, lab.budget().For(Spend::kLoad)));
  ReplayResult last;
  const auto seen = ReachWorkers(lab, container, workload, [&](const ReplayPlan& plan) {
    last = container.Replay(plan, end);
    return last;
  });
  if (lab.stopped()) return Canceled();
  if (last.target_lost) return tl::unexpected<RunEnd>(CheckTarget(lab, container, last).error());
  if (!seen || seen->coverage.count < 2) return std::optional<WorkersSeen>();
  container.WatchFromHere();
  return seen;
}

ConnectionUse ConnectionsFor(const std::optional<WorkersSeen>& seen) {
  return seen && seen->coverage.count > 1 ? ConnectionUse::kBoth : ConnectionUse::kKeepAlive;
}

namespace {

// Those that p99 takes, where they come in time: beside fewer no tail is judged.
std::size_t RequestsOfFreshLook(const Objective& objective, const Reference& reference,
                                std::chrono::nanoseconds longest) {
  const std::size_t for_tail = RequestsForConfidence(0.99);
  const bool tail = objective.latency_ms.empty() &&
                    RequestsWithin(reference, longest) >= static_cast<double>(for_tail);
  return tail ? for_tail : RequestsForConfidence(0.95);
}

}  // namespace

Reference LookAtFresh(Lab& lab, Container& container, const Workload& workload,
                      Reference reference) {
  if (workload.objective.connections != ConnectionUse::kBoth) return reference;
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestFresh, lab.budget().For(Spend::kLoad));
  const ReplayPlan plan = WithFreshConnections(
      ObjectivePlan(workload, container.seed(),
                    {std::min<std::chrono::nanoseconds>(kFreshTime, longest),
                     RequestsOfFreshLook(workload.objective, reference, longest), longest}));
  Look look = LookAt(plan, container.Replay(plan, lab.budget().end()));
  if (look.visits.empty()) return reference;
  return WithFreshLook(std::move(reference), std::move(look));
}

LoadTime PartOf(const LoadTime& whole, const Objective& objective) {
  if (objective.connections != ConnectionUse::kBoth) return whole;
  // Each part must be long enough to prove something by itself.
  const auto least = objective.latency_ms.empty() ? std::chrono::nanoseconds(kLeastReferenceLoad)
                                                  : std::chrono::nanoseconds(0);
  const auto half = [least](std::chrono::nanoseconds time) {
    return std::max(time / 2, std::min(time, least));
  };
  LoadTime part{half(whole.time), whole.min_requests, half(whole.longest), half(whole.until)};
  // A rate's load that is short is so for one queue; it is cut where there is no time for two.
  if (objective.requests_per_second) {
    part.time = std::max(
        part.time, std::min({whole.time, part.longest, std::chrono::nanoseconds(kLeastOfRate)}));
  }
  return part;
}

ReplayPlan WithFreshConnections(ReplayPlan plan) {
  plan.connections = {Policy::kOneARequest, 0};
  return plan;
}

Verdict JudgeFresh(const Workload& workload, const Reference& reference, const ReplayPlan& plan,
                   const ReplayResult& replay, std::span<const Sample> samples) {
  const ResourceUse use = Summarize(samples);
  const Reference fresh = FreshOf(reference);
  const Objective& objective = workload.objective;
  VerificationEvidence evidence;
  evidence.became_ready = true;
  evidence.requests = std::ssize(replay.requests);
  evidence.failures = replay.failures;
  evidence.new_failures = NewFailures(fresh, replay);
  if (replay.first_failure) {
    evidence.full_heap = FullHeapWords(replay.first_failure->body).value_or("");
  }
  evidence.stalled = replay.cut_off;
  evidence.throttled_share = use.throttled_share;
  evidence.read_back = {use.refaults, std::ssize(replay.requests)};
  evidence.reference_error_share = fresh.error_share;
  SetBeside(fresh, plan, LookAt(plan, replay, samples), evidence);
  SetRate(RateOf(plan, replay, AcceptableMs(fresh.p95_ms ? fresh : reference, objective)),
          evidence);
  Verdict verdict =
      Judge(evidence, LatencyDistribution::ByRow(CountedVisits(plan, replay)), objective);
  verdict.sentence = "with a connection for each request: " + verdict.sentence;
  verdict.fresh = true;
  return verdict;
}

Verdict NotReached(const WorkerCoverage& coverage) {
  Verdict verdict;
  verdict.sentence = NotReachedText(coverage);
  verdict.unreached = true;
  return verdict;
}

std::string NotReachedText(const WorkerCoverage& coverage) {
  if (coverage.untold) {
    return Sentence("more than %d processes may serve, and no more are counted", coverage.count);
  }
  return Sentence(
      "%d of %d processes that serve had no row in %d bursts of rows in flight together",
      coverage.count - coverage.reached, coverage.count, coverage.bursts);
}

}  // namespace mlprof::server::phases
