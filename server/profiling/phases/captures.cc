#include "server/profiling/phases/captures.h"

#include <algorithm>
#include <memory>

#include "server/analysis/diagnosis.h"
#include "server/analysis/latency.h"
#include "server/analysis/sentence.h"
#include "server/profiling/lab/background_recording.h"
#include "server/profiling/phases/capture_advice.h"
#include "server/profiling/phases/captured_trace.h"
#include "server/profiling/phases/limited_warm_up.h"
#include "server/profiling/phases/run_times.h"
#include "server/registry/artifact_store.h"
#include "server/registry/capture_store.h"

namespace mlprof::server::phases {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A trace of a few rows shows what each of them does; more of them make it large. Chosen, not
// measured.
constexpr int kRowsOfCapture = 10;
constexpr milliseconds kShortestCapture{1000};
constexpr milliseconds kLongestCapture{10'000};
// Rows go on behind the recording's time: a profiler takes a while to begin, longest the first
// time.
constexpr milliseconds kRowsAround{2000};
constexpr milliseconds kWaitForTrace{200};
// Nothing is sent while the program is recorded, and then while it collects its trace.
constexpr std::chrono::minutes kIdleForward{15};
constexpr std::chrono::seconds kTimeToSend{3};
// To look into a trace; what is not told by then stays untold.
constexpr std::chrono::seconds kTimeToLook{10};
// A load of which fewer rows come meanwhile shows a model that idles.
constexpr double kFewestRows = 3;
constexpr const char* kLoopback = "127.0.0.1";

const char* InWords(CaptureLoad load) {
  return load == CaptureLoad::kAlone ? "rows one at a time" : "the objective's load";
}

std::vector<std::uint32_t> LatenciesBetween(const ReplayResult& replay, nanoseconds from,
                                            nanoseconds to) {
  std::vector<std::uint32_t> latencies;
  for (const RequestRecord& request : replay.requests) {
    if (request.Succeeded() && request.due >= from && request.due <= to) {
      latencies.push_back(request.latency_us);
    }
  }
  return latencies;
}

RowLatencies LatenciesOf(const ReplayResult& replay, nanoseconds from, nanoseconds time) {
  const LatencyDistribution all(LatenciesBetween(replay, from, from + time));
  return {static_cast<std::int64_t>(all.count()), all.QuantileMs(0.5), all.QuantileMs(0.95)};
}

class Capturing {
 public:
  Capturing(Lab& lab, const Yardstick& yardstick, Container& container, int port,
            const TraceTaking& traces)
      : lab_(lab),
        yardstick_(yardstick),
        container_(container),
        port_(port),
        traces_(traces),
        time_(CaptureTime(yardstick)) {}

  CaptureFacts Go() {
    const std::vector<CaptureLoad> loads = LoadsToCapture(yardstick_.workload.objective);
    if (!Begin()) return facts_;
    for (std::size_t i = 0; i < loads.size() && GoesOn(); ++i) {
      if (IsTooRare(loads[i])) continue;
      done_ = static_cast<double>(i) / static_cast<double>(loads.size());
      part_ = 1.0 / static_cast<double>(loads.size());
      const Status taken = Take(loads[i]);
      if (!taken && !lab_.stopped()) Miss(InWords(loads[i]), WhyMissing(taken.error()));
    }
    return facts_;
  }

 private:
  bool IsTooRare(CaptureLoad load) {
    const auto& rate = yardstick_.workload.objective.requests_per_second;
    const double seconds = std::chrono::duration<double>(time_).count();
    if (load == CaptureLoad::kAlone || !rate || *rate * seconds >= kFewestRows) return false;
    facts_.missing.push_back({"captureSkipped",
                              "no device trace was taken of the objective's load: hardly a row "
                              "comes while it is recorded",
                              "the trace of rows one at a time shows what each does"});
    return true;
  }

  bool GoesOn() const { return !lab_.stopped() && !lost_; }

  void Miss(const std::string& what, const Error& error) {
    facts_.missing.push_back({"captureFailed",
                              "no device trace was taken of " + what + ": " + error.message(),
                              AdviceOnCapture(error, port_)});
  }

  bool Begin() {
    lab_.Progressed(0, "starting the model to record it");
    const char* all = "the model";
    if (!container_.StartWhole()) {
      if (!lab_.stopped()) Miss(all, WhyNotStarted());
      return false;
    }
    const auto warm_up =
        WarmUpAtLimits(lab_, yardstick_, container_,
                       [this](const ReplayPlan& plan, nanoseconds time, ReplayResult& result) {
                         result = Replay(plan, time);
                         return !lost_ && !result.cut_off && !result.stopped;
                       });
    if (warm_up && warm_up->survived) return true;
    if (lab_.stopped()) return false;
    const Error not_served = Internal("it did not serve in the container for it");
    Miss(all, lab_.budget().Passed() ? OutOfTime() : WhyMissing(not_served));
    return false;
  }

  Error WhyNotStarted() {
    if (container_.RanOutOfBudget()) return OutOfTime();
    return Internal("it did not start in the container for it: " +
                    DiagnoseDeath(container_.Death()).message);
  }

  static Error OutOfTime() { return Cancelled("the budget ended before the trace was there"); }

  ReplayResult Replay(const ReplayPlan& plan, nanoseconds time) {
    const auto longest = LongestReplay(yardstick_.pace, time, container_.limits().cpu());
    ReplayResult result = container_.Replay(plan, lab_.budget().AtMost(longest));
    lost_ = lost_ || result.target_lost;
    return result;
  }

  // The same rows before and while it is recorded.
  ReplayPlan PlanOf(CaptureLoad load, nanoseconds time) const {
    return load == CaptureLoad::kAlone
               ? ClosedPlan(yardstick_.workload, container_.seed(), 1, time)
               : ObjectivePlan(yardstick_.workload, container_.seed(), {time, 0, time});
  }

  Error WhyMissing(const Error& error) const {
    if (lost_ && container_.OomKills() > 0) {
      return Error(ErrorCode::kResourceExhausted,
                   "the kernel killed the model for memory meanwhile: the profiler may need more "
                   "than the ceiling has");
    }
    return lost_ ? Internal("the model ended meanwhile") : error;
  }

  Status Take(CaptureLoad load) {
    lab_.Progressed(done_, std::string("replaying ") + InWords(load) + " before they are recorded");
    const ReplayResult before = Replay(PlanOf(load, time_), time_);
    if (!GoesOn()) return Fail(Unavailable("the model ended before it was recorded"));
    MLPROF_LET(forwarded, container_.Forward(port_, traces_.sockets, kIdleForward));
    lab_.Progressed(done_ + part_ / 3, std::string("recording ") + InWords(load));
    const nanoseconds began = lab_.clock().Now();
    const nanoseconds unix_ahead = traces_.unix_now() - began;
    MLPROF_LET(recording, BackgroundRecording::Begin(
                              traces_.source, {{kLoopback, static_cast<unsigned short>(port_)},
                                               time_,
                                               traces_.folder,
                                               {},
                                               {},
                                               forwarded->socket(),
                                               container_.Root()}));
    const ReplayResult during = Replay(PlanOf(load, time_ + kRowsAround), time_ + kRowsAround);
    lab_.Progressed(done_ + 2 * part_ / 3, "waiting for the trace");
    while (!recording->AwaitOver(kWaitForTrace)) {
      if (!GoesOn() || lab_.budget().Passed()) recording->Stop();
    }
    auto trace = recording->Take();
    recording.reset();
    if (!trace) return Fail(Because(trace.error(), *forwarded));
    const Deadline looked = Deadline::After(kTimeToLook, lab_.clock());
    MLPROF_LET(read, ReadCapturedTrace(*trace, during, unix_ahead,
                                       xspace::TimeLimit([&looked] { return looked.Passed(); })));
    ProfileCapture capture;
    capture.load = load;
    capture.before = LatenciesOf(before, before.began, time_);
    capture.during = LatenciesOf(during, began, time_);
    MLPROF_TRY(Keep(*trace, read, std::move(capture)));
    KeepRows(read, load);
    return {};
  }

  // Who dials through a socket learns only that it was closed.
  Error Because(const Error& error, const ForwardedPort& forwarded) const {
    if (const auto refused = forwarded.last_failure()) {
      return NotFound("no profiler server answers at port " + std::to_string(port_) +
                      " of the container (" + refused->message() + ")");
    }
    if (error.code() != ErrorCode::kCancelled) return error;
    return OutOfTime();
  }

  Status Keep(const SpooledBody& trace, const CapturedTrace& read, ProfileCapture capture) {
    const Objective& objective = yardstick_.workload.objective;
    const bool alone = capture.load == CaptureLoad::kAlone;
    capture.id = "sha256:" + trace.sha256;
    capture.name = CaptureFileName(Name(capture.load));
    if (!alone) capture.requests_per_second = objective.requests_per_second;
    if (!capture.requests_per_second) {
      capture.concurrency = alone ? 1 : objective.ConcurrencyOrOne();
    }
    capture.limits = container_.limits();
    capture.size = trace.size;
    capture.seconds = std::chrono::duration<double>(time_).count();
    capture.events = read.events;
    capture.slowest_rows = read.slowest;
    capture.costs = read.costs;
    MLPROF_TRY(lab_.Keep({kCaptureKind, capture.name, "application/octet-stream", *trace.file}));
    facts_.taken.push_back(std::move(capture));
    return {};
  }

  // A trace without them is a trace all the same.
  void KeepRows(const CapturedTrace& read, CaptureLoad load) {
    if (!read.no_rows.empty()) {
      MissRows(load, "is found", read.no_rows,
               read.rows ? "rows that take a large part of the recording are seldom whole in it"
                         : "the profilers of jaxlib 0.7.2 and later tell it");
      return;
    }
    const Status kept = lab_.Keep({kCaptureRowsKind, CaptureRowsFileName(Name(load)),
                                   "application/json", xspace::WriteRowVisits(*read.rows)});
    if (kept || lab_.stopped()) return;
    facts_.taken.back().slowest_rows.clear();  // nobody could look at them
    MissRows(load, "was kept", kept.error().message(), AdviceOnCapture(kept.error(), port_));
  }

  void MissRows(CaptureLoad load, const char* what, const std::string& why,
                const std::string& advice) {
    facts_.missing.push_back(
        {"captureRowsUnknown",
         std::string("no row ") + what + " of the device trace of " + InWords(load) + ": " + why,
         advice});
  }

  Lab& lab_;
  const Yardstick& yardstick_;
  Container& container_;
  const int port_;
  const TraceTaking& traces_;
  const milliseconds time_;
  double done_ = 0;  // of the phase, before this load; and its part
  double part_ = 1;
  bool lost_ = false;
  CaptureFacts facts_;
};

}  // namespace

std::vector<CaptureLoad> LoadsToCapture(const Objective& objective) {
  std::vector<CaptureLoad> loads = {CaptureLoad::kAlone};
  if (objective.requests_per_second || objective.ConcurrencyOrOne() > 1) {
    loads.push_back(CaptureLoad::kObjective);
  }
  return loads;
}

std::chrono::milliseconds CaptureTime(const Yardstick& yardstick) {
  const auto& rate = yardstick.workload.objective.requests_per_second;
  const double row_ms = std::max(yardstick.reference.p95_ms.value_or(yardstick.pace.slowest_row_ms),
                                 rate ? 1000 / *rate : 0);
  const double enough =
      std::min(static_cast<double>(kLongestCapture.count()), kRowsOfCapture * row_ms);
  return std::max(kShortestCapture, milliseconds(static_cast<std::int64_t>(enough)));
}

std::chrono::nanoseconds TimeToCapture(const Budget& budget, const Yardstick& yardstick) {
  const auto loads = static_cast<int>(LoadsToCapture(yardstick.workload.objective).size());
  const auto row = milliseconds(static_cast<std::int64_t>(yardstick.pace.slowest_row_ms));
  return TimeBeforeLoad(budget, yardstick) +
         loads * (2 * CaptureTime(yardstick) + kRowsAround + 2 * row + kTimeToSend);
}

CaptureFacts TakeCaptures(Lab& lab, const Yardstick& yardstick, const Limits& limits, int port,
                          const TraceTaking& traces) {
  CaptureFacts facts;
  const auto container =
      lab.Launch({limits, yardstick.setup, lab.NextSeed(), PageCache::kAsItIs, Use::kRecorded});
  if (container) {
    facts = Capturing(lab, yardstick, **container, port, traces).Go();
    (*container)->Close();
  } else if (!lab.stopped()) {
    const auto& error = container.error().error;
    facts.missing.push_back(
        {"captureFailed",
         "no device trace was taken: " + (error ? error->message : "there was no container for it"),
         "run `mlprof doctor` on the server's machine, then profile again"});
  }
  return facts;
}

}  // namespace mlprof::server::phases
