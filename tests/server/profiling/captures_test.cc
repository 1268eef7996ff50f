// Device traces that a profile takes of its model, through a profiler server that the imitated
// model has behind one of its ports.
#include "server/profiling/phases/captures.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "server/devices/profiler/field_writer.h"
#include "server/devices/profiler/profiler_client.h"
#include "server/registry/capture_store.h"
#include "tests/fakes/fake_profiler_server.h"
#include "tests/fakes/older_profiler.h"
#include "tests/server/devices/xspace/made_trace.h"
#include "tests/server/profiling/lab_bench.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server::phases {
namespace {

using fakes::ProfilerScript;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr int kProfilerPort = 6000;

std::string TraceOf(int events) {
  xspace::MadePlane plane("/host:CPU");
  const auto name = plane.Name("dot.1");
  std::vector<xspace::Message> all;
  for (int i = 0; i < events; ++i) {
    all.push_back(xspace::MadeEvent(name, 10 * static_cast<std::uint64_t>(i), 5));
  }
  plane.Line(xspace::MadeLine("thread", all));
  return xspace::Message().Sub(1, plane.message()).bytes();
}

// An hour of an operation of 10 ms after the other, from `from` on the imitated clock on, as a
// profiler stamps it.
std::string TraceFrom(std::chrono::nanoseconds from) {
  xspace::MadePlane host("/host:CPU");
  const auto hlo_op = host.StatName("hlo_op");
  const auto name = host.Name("dot.1");
  std::vector<xspace::Message> all;
  for (std::uint64_t ms = 0; ms < 3'600'000; ms += 10) {
    all.push_back(xspace::MadeEvent(name, 1000 * ms, 10'000, {xspace::TextStat(hlo_op, "dot.1")}));
  }
  host.Line(xspace::MadeLine("thread", all));
  xspace::MadePlane environment("Task Environment");
  const auto start = environment.StatName("profile_start_time");
  environment.Stat(xspace::NumberStat(
      start, static_cast<std::uint64_t>((ProfilingBench::kUnixAhead + from).count())));
  return xspace::Message().Sub(1, host.message()).Sub(1, environment.message()).bytes();
}

ProfilerScript Answering(const std::string& trace) {
  profiler::FieldWriter response;
  response.Bytes(8, trace);
  return {.response = response.message()};
}

struct Captured {
  Profile profile;
  std::vector<Artifact> artifacts;  // that are captures
  std::vector<Artifact> all_artifacts;
  std::vector<LaunchRequest> launches;
  int calls = 0;

  const Warning* Said(const std::string& code) const {
    for (const Warning& warning : profile.warnings) {
      if (warning.code == code) return &warning;
    }
    return nullptr;
  }
};

class CapturesTest : public testing::Test {
 protected:
  CapturesTest() { request_.inference_config->profiler_port = kProfilerPort; }

  /// A profile whose model has a profiler server with that script.
  Captured Profiled(const ProfilerScript& script) {
    model_.ports[kProfilerPort] = fakes::ProfilerPort(script, calls_);
    return Profiled();
  }
  Captured Profiled() {
    ProfilingBench bench(model_);
    bench.traces = &client_;
    bench.Restart();
    bench.RegisterInputs(TextRows(20));
    EXPECT_TRUE(bench.service().Create("default", request_, {}).has_value());
    Captured captured{bench.AwaitEnd("p"), {}, {}, bench.runtime.launches(), *calls_};
    const auto all = bench.artifacts().List(captured.profile.id, {});
    captured.all_artifacts = all->value;
    for (const Artifact& artifact : all->value) {
      if (artifact.kind == kCaptureKind) captured.artifacts.push_back(artifact);
    }
    EXPECT_EQ(bench.runtime.running(), 0);
    return captured;
  }
  /// That no trace was taken, with a warning of these words, and that nothing else came of it.
  void ExpectMissing(const Captured& captured, const std::string& words,
                     const std::string& advice) {
    EXPECT_EQ(captured.profile.state, ProfileState::kSucceeded);
    EXPECT_TRUE(captured.profile.recommendation->verified);
    EXPECT_TRUE(captured.profile.captures.empty());
    EXPECT_TRUE(captured.artifacts.empty());
    const Warning* warning = captured.Said("captureFailed");
    ASSERT_NE(warning, nullptr);
    EXPECT_THAT(warning->message, HasSubstr(words));
    EXPECT_THAT(warning->advice, HasSubstr(advice));
  }

  std::shared_ptr<std::atomic<int>> calls_ = std::make_shared<std::atomic<int>>(0);
  FakeModel model_;
  ProfileRequest request_ = ProfilingBench::Request("p", kBudget);
  profiler::ProfilerClient client_{{MiB(64), seconds(10), seconds(20)}};
};

TEST_F(CapturesTest, AreOfRowsAloneAndOfTheObjectivesLoad) {
  request_.objective.concurrency = 4;
  const std::string trace = TraceOf(7);
  const Captured captured = Profiled(Answering(trace));
  ASSERT_EQ(captured.profile.captures.size(), 2U);
  const ProfileCapture& alone = captured.profile.captures[0];
  const ProfileCapture& loaded = captured.profile.captures[1];
  EXPECT_EQ(alone.load, CaptureLoad::kAlone);
  EXPECT_EQ(alone.concurrency, 1);
  EXPECT_EQ(loaded.load, CaptureLoad::kObjective);
  EXPECT_EQ(loaded.concurrency, 4);
  EXPECT_EQ(alone.events, 7);
  EXPECT_EQ(alone.size, Bytes(static_cast<std::int64_t>(trace.size())));
  EXPECT_EQ(captured.artifacts.size(), 2U);
  EXPECT_EQ(alone.id, "sha256:" + captured.artifacts[0].sha256);
  EXPECT_EQ(captured.calls, 2);
  EXPECT_EQ(captured.Said("captureFailed"), nullptr);
}

TEST_F(CapturesTest, TellWhatRowsTookBeforeAndMeanwhile) {
  model_.cpu_per_row = milliseconds(20);
  const Captured captured = Profiled(Answering(TraceOf(7)));
  ASSERT_EQ(captured.profile.captures.size(), 1U);  // rows one at a time are the objective's load
  const ProfileCapture& alone = captured.profile.captures[0];
  EXPECT_DOUBLE_EQ(alone.seconds, 1);
  for (const RowLatencies& rows : {alone.before, alone.during}) {
    EXPECT_NEAR(rows.p50_ms.value_or(0), 20, 4);
    EXPECT_GE(rows.p95_ms, rows.p50_ms);
    EXPECT_NEAR(static_cast<double>(rows.rows), 1000 / rows.p50_ms.value_or(1), 5);
  }
}

TEST_F(CapturesTest, TellWhatTheSlowestRowsSpentTheirTimeOn) {
  model_.cpu_per_row = milliseconds(200);
  const Captured captured = Profiled(Answering(TraceFrom(seconds(0))));
  ASSERT_EQ(captured.profile.captures.size(), 1U);
  const ProfileCapture& alone = captured.profile.captures[0];
  ASSERT_EQ(alone.slowest_rows.size(), 3U);
  const CapturedRow& slowest = alone.slowest_rows[0];
  EXPECT_EQ(slowest.op, "dot.1");
  EXPECT_NEAR(slowest.op_percent, 95, 6);  // the first and the last may be cut by the row's edge
  EXPECT_NEAR(slowest.latency_ms, 200, 40);
  EXPECT_LT(slowest.others_in_flight, 0.01);
  EXPECT_EQ(captured.Said("captureRowsUnknown"), nullptr);
  const auto rows = std::ranges::count_if(captured.all_artifacts, [](const Artifact& artifact) {
    return artifact.kind == kCaptureRowsKind && artifact.name == "alone.rows.json";
  });
  EXPECT_EQ(rows, 1);
}

TEST_F(CapturesTest, OfAnOlderProfilerAreTheFilesThatItWritesInItsContainer) {
  std::string pattern = (std::filesystem::temp_directory_path() / "mlprof-XXXXXX").string();
  model_.root = mkdtemp(pattern.data());
  const Captured captured = Profiled(fakes::OlderProfilerWriting(model_.root, TraceOf(7)));
  ASSERT_EQ(captured.profile.captures.size(), 1U);
  EXPECT_EQ(captured.profile.captures[0].events, 7);
  std::filesystem::remove_all(model_.root);
}

TEST_F(CapturesTest, OfADeviceTellWhatCostsMostThere) {
  const Captured on_cpu = Profiled(Answering(TraceOf(7)));
  EXPECT_FALSE(on_cpu.profile.captures.at(0).costs);
  const Captured captured = Profiled(Answering(xspace::FixtureBytes("tpu_synth_flow.xplane.pb")));
  ASSERT_EQ(captured.profile.captures.size(), 1U);
  const auto& costs = captured.profile.captures[0].costs;
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->most, "padding");
  EXPECT_NEAR(costs->duty_cycle_percent.value_or(0), 76.0, 0.05);
  EXPECT_NEAR(costs->input_percent.value_or(0), 11.1, 0.05);
  ASSERT_FALSE(costs->advice.empty());
  EXPECT_THAT(costs->advice[0], HasSubstr("padded"));
}

TEST_F(CapturesTest, TellNothingOfRowsThatWereNotRecorded) {
  const Captured captured = Profiled(Answering(TraceFrom(std::chrono::hours(1000))));
  ASSERT_EQ(captured.profile.captures.size(), 1U);
  EXPECT_TRUE(captured.profile.captures[0].slowest_rows.empty());
  ASSERT_NE(captured.Said("captureRowsUnknown"), nullptr);
  EXPECT_THAT(captured.Said("captureRowsUnknown")->message,
              HasSubstr("no row began after the first event"));
}

TEST_F(CapturesTest, SayThatATraceWithoutAClockHasNoRows) {
  const Captured captured = Profiled(Answering(TraceOf(7)));
  EXPECT_EQ(captured.profile.captures.size(), 1U);
  ASSERT_NE(captured.Said("captureRowsUnknown"), nullptr);
  EXPECT_THAT(captured.Said("captureRowsUnknown")->message, HasSubstr("when it began"));
}

TEST_F(CapturesTest, OfARateAreOfIt) {
  request_.objective.requests_per_second = 40;
  const Captured captured = Profiled(Answering(TraceOf(7)));
  ASSERT_EQ(captured.profile.captures.size(), 2U);
  EXPECT_EQ(captured.profile.captures[1].requests_per_second, 40);
  EXPECT_EQ(captured.profile.captures[1].concurrency, std::nullopt);
  EXPECT_NEAR(static_cast<double>(captured.profile.captures[1].during.rows), 40, 20);
}

TEST_F(CapturesTest, OfARateAtWhichHardlyARowComesAreLeftOutAndThatIsSaid) {
  request_.objective.requests_per_second = 0.2;
  const Captured captured = Profiled(Answering(TraceOf(7)));
  EXPECT_EQ(captured.profile.captures.size(), 1U);
  ASSERT_NE(captured.Said("captureSkipped"), nullptr);
  EXPECT_THAT(captured.Said("captureSkipped")->message, HasSubstr("hardly a row comes"));
}

TEST_F(CapturesTest, EndNoRunWhereTheirContainerFindsNoRoom) {
  LabBench bench(FakeModel(), 20);
  bench.runtime.FailNextLaunch(Error(ErrorCode::kResourceExhausted, "there is no room"));
  const auto folder = std::filesystem::temp_directory_path();
  const phases::CaptureFacts facts =
      phases::TakeCaptures(bench.lab, bench.MeasuredAt(1), bench.lab.ceiling(), kProfilerPort,
                           {client_, folder, folder, [] { return std::chrono::hours(1); }});
  EXPECT_FALSE(bench.lab.stopped());
  ASSERT_EQ(facts.missing.size(), 1U);
  EXPECT_THAT(facts.missing[0].message, HasSubstr("there is no room"));
}

TEST_F(CapturesTest, WhatTheyTakeIsNoNeed) {
  // What a profiler holds.
  model_.rise = [calls = calls_](const std::string&) { return *calls > 0 ? GiB(1) : Bytes(); };
  const Captured captured = Profiled(Answering(TraceOf(7)));
  ASSERT_EQ(captured.profile.captures.size(), 1U);
  EXPECT_LT(captured.profile.measurements->max_utilized_memory.value_or(GiB(9)), MiB(400));
  EXPECT_LT(captured.profile.recommendation->requested.memory(), MiB(400));
  // With the answer's CPU, and all memory there is.
  const Limits& limits = captured.launches.back().limits;
  EXPECT_EQ(limits.cpu(), captured.profile.recommendation->requested.cpu());
  EXPECT_GT(limits.memory(), GiB(1));
  EXPECT_EQ(captured.profile.captures[0].limits, limits);
}

TEST_F(CapturesTest, AreNotTakenUnasked) {
  request_.inference_config->profiler_port.reset();
  const Captured captured = Profiled(Answering(TraceOf(7)));
  EXPECT_TRUE(captured.profile.captures.empty());
  EXPECT_EQ(captured.calls, 0);
  EXPECT_EQ(captured.Said("captureFailed"), nullptr);
}

TEST_F(CapturesTest, SayThatNobodyListens) {
  ExpectMissing(Profiled(), "no profiler server answers at port 6000",
                "jax.profiler.start_server(6000)");
}

TEST_F(CapturesTest, SayThatAnotherProfileRuns) {
  ExpectMissing(Profiled({.status = "13", .status_message = "Another profiling session active."}),
                "another profile runs", "one profile at a time");
}

TEST_F(CapturesTest, SayThatTheServerIsTooOld) {
  ExpectMissing(Profiled({.response = ""}), "of an older version", "jaxlib 0.7.2");
}

TEST_F(CapturesTest, SayThatNothingRan) {
  profiler::FieldWriter nothing;
  nothing.Number(7, 1);
  ExpectMissing(Profiled({.response = nothing.message()}), "does another process",
                "the one that scores");
}

TEST_F(CapturesTest, SayThatTheTraceIsEmpty) {
  xspace::MadePlane plane("/host:CPU");
  const std::string empty = xspace::Message().Sub(1, plane.message()).bytes();
  ExpectMissing(Profiled(Answering(empty)), "its trace is empty or damaged", "the one that scores");
}

TEST_F(CapturesTest, SayThatThePortIsNoProfilers) {
  ExpectMissing(Profiled({.status = "12"}), "is no profiler server", "profilerPort");
}

// A profiler that is asked, whereupon the model is gone.
class FatalProfiler final : public profiler::TraceSource {
 public:
  explicit FatalProfiler(FakeRuntime& runtime) : runtime_(runtime) {}
  Result<SpooledBody> Record(const profiler::Recording&) override {
    runtime_.LoseAgents();
    return Fail(Unavailable("the connection was lost"));
  }

 private:
  FakeRuntime& runtime_;
};

TEST_F(CapturesTest, TheEndOfTheModelMeanwhileFailsNothing) {
  request_.objective.concurrency = 4;
  ProfilingBench bench(model_);
  FatalProfiler fatal(bench.runtime);
  bench.traces = &fatal;
  bench.Restart();
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", request_, {}).has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kSucceeded);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_TRUE(profile.captures.empty());
  EXPECT_TRUE(HasWarning(profile, "captureFailed"));
  EXPECT_EQ(bench.runtime.running(), 0);
  bench.Close();  // before the profiler goes
}

TEST_F(CapturesTest, EachLoadIsToldForItself) {
  request_.objective.concurrency = 4;
  const Captured captured = Profiled({.status = "8", .status_message = "too large"});
  EXPECT_EQ(captured.calls, 2);
  EXPECT_EQ(std::count_if(captured.profile.warnings.begin(), captured.profile.warnings.end(),
                          [](const Warning& w) { return w.code == "captureFailed"; }),
            2);
}

TEST_F(CapturesTest, EndWithTheProfileThatIsCancelled) {
  ProfilerScript silent;
  silent.silent = true;
  model_.ports[kProfilerPort] = fakes::ProfilerPort(silent, calls_);
  ProfilingBench bench(model_);
  profiler::ProfilerClient patient({MiB(64), seconds(10), seconds(600)});
  bench.traces = &patient;
  bench.Restart();
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", request_, {}).has_value());
  bench.AwaitMessage("p", "waiting for the trace");
  ASSERT_TRUE(bench.service().Cancel("default", "p").has_value());
  const Profile profile = bench.AwaitEnd("p");
  EXPECT_EQ(profile.state, ProfileState::kCanceled);
  EXPECT_TRUE(profile.recommendation->verified);
  EXPECT_EQ(bench.runtime.running(), 0);
}

TEST_F(CapturesTest, KeepToABudgetThatSomebodyNamed) {
  request_.budget = seconds(20);
  request_.budget_given = true;
  const Captured captured = Profiled(Answering(TraceOf(7)));
  EXPECT_EQ(captured.profile.state, ProfileState::kSucceeded);
  ASSERT_NE(captured.Said("captureSkipped"), nullptr);
  EXPECT_THAT(captured.Said("captureSkipped")->advice, HasSubstr("--budget-seconds"));
  EXPECT_EQ(captured.calls, 0);
}

TEST(CaptureTimeTest, HoldsSeveralRows) {
  Yardstick yardstick{{Cpuset::Whole(2), {}, {}}, {}, {}, {}};
  const auto time_for = [&](double p95_ms, std::optional<double> rate) {
    yardstick.reference.p95_ms = p95_ms;
    yardstick.workload.objective.requests_per_second = rate;
    return CaptureTime(yardstick);
  };
  EXPECT_EQ(time_for(5, {}), seconds(1));
  EXPECT_EQ(time_for(300, {}), seconds(3));
  EXPECT_EQ(time_for(60'000, {}), seconds(10));
  EXPECT_EQ(time_for(5, 2), seconds(5));
}

}  // namespace
}  // namespace mlprof::server::phases
