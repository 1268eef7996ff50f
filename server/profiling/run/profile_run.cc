#include "server/profiling/run/profile_run.h"

#include <utility>

#include "server/profiling/phases/preflight.h"
#include "server/profiling/phases/prepare.h"
#include "server/profiling/run/answer.h"
#include "server/profiling/run/devices.h"
#include "server/profiling/run/findings.h"
#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/render.h"
#include "server/profiling/run/story.h"
#include "server/registry/artifact_store.h"

namespace mlprof::server {

using namespace phases;  // NOLINT(google-build-using-namespace): this is their story

RunEnd Story::Tell() {
  const auto told = TellAll();
  // What was asked for is missed only where nothing else ended the run.
  const bool to_its_end = told || told.error().state == ProfileState::kTimedOut;
  if (to_its_end) facts_.soak_asked = profile_.request.soak;
  if (told && !run_stop_.token().stop_requested()) {
    Show();
    return {ProfileState::kSucceeded, std::nullopt};
  }
  return Conclude(told ? RunEnd{ProfileState::kCanceled, std::nullopt} : told.error());
}

PhaseResult<void> Story::TellAll() {
  MLPROF_LET(rows, OpenRows(services_, profile_, run_stop_));
  MLPROF_LET(lease, TakeDevices(services_, profile_.request.accelerator, run_stop_));
  MLPROF_LET(host, TakeHost(services_, profile_.request.ceiling, run_stop_));
  SetDevices(lease, host);
  profile_.request.ceiling = {host.ceiling.cpu(), host.ceiling.memory()};
  profile_.host = host.host;
  MLPROF_LET(objective, OpenObjective(services_, profile_, run_stop_));
  facts_.objective = objective;
  facts_.rows = rows->count();
  facts_.host = host;
  MLPROF_LET(subject, PrepareSubject(host));
  HostWatch watch;
  Lab lab({services_.runtime, *rows, budget_, watch, journal_, announcer_, tracker_, run_stop_,
           began_, services_.instruments},
          std::move(subject));
  const auto told = TellIn(lab, {host.cpuset, {}, {}});
  See(lab);
  KeepLogs(lab);
  return told;
}

PhaseResult<Subject> Story::PrepareSubject(const HostChoice& host) {
  const ProfileRequest& request = profile_.request;
  MLPROF_LET(inputs, PlaceInputs(services_, profile_, run_stop_));
  facts_.parameters = inputs.parameters;
  Enter(shares::kPrepare, "preparing the image");
  MLPROF_LET(image, Prepare(services_.runtime, {*request.inference_config, inputs.source}, journal_,
                            announcer_, run_stop_));
  facts_.image = image.warnings;
  Finish("done");
  return Subject{profile_.id,
                 *request.inference_config,
                 std::move(image),
                 inputs.inputs,
                 inputs.model_directory,
                 host.ceiling,
                 host.host,
                 host.most_memory,
                 request.seed,
                 services_.keep_root_read_only,
                 host.devices,
                 host.tpus};
}

PhaseResult<void> Story::TellIn(Lab& lab, const Setup& setup) {
  Workload workload{facts_.objective, profile_.request.seed, facts_.rows, {}};
  Enter(shares::kPreflight, "checking the host and the replay itself");
  MLPROF_LET(replay, Preflight(lab, setup, workload, profile_.request.when_quiet));
  facts_.replay = replay;
  Finish(lab, "done");

  Ample ample(lab, setup);
  auto measured = MeasureAtCeiling(lab, ample, workload);
  See(ample);
  SeeGrowth(ample, measured);
  facts_.mapped_file = ample.MappedFile();
  ample.Close();
  See(lab);
  if (!measured) return tl::unexpected<RunEnd>(measured.error());
  facts_.successors = SuccessorsOf(facts_);
  // The need at the ceiling is all that can be told where nothing can be limited.
  if (!facts_.host.host.limits_hold) return Capture(lab, ample.setup(), workload);
  // Runs at limits are too short to show successors or a leak: no less than was measured holds
  // them.
  if (Grows(facts_) || facts_.successors > Bytes()) {
    workload.least_memory = NeedOf(facts_).memory.Floor();
  }
  const auto proven = Prove(lab, ample.setup(), workload, *measured);
  // Whatever the budget came to: a trace needs no proof.
  if (!proven && proven.error().state != ProfileState::kTimedOut) return proven;
  if (auto captured = Capture(lab, ample.setup(), workload); !captured) return captured;
  return proven;
}

void Story::KeepLogs(const Lab& lab) {
  const auto stopped = run_stop_.reason();
  if (lab.logs().empty() || (stopped && *stopped != StopReason::kUser)) return;
  static_cast<void>(
      journal_.Keep({"log", "containers.log", "text/plain; charset=utf-8", lab.logs().Text()}));
}

void Story::Enter(const PhaseShare& phase, const std::string& message) {
  tracker_.Enter(phase, message);
}

void Story::Finish(const std::string& outcome) {
  Show();
  tracker_.Finish(outcome);
}

void Story::Finish(const Lab& lab, const std::string& outcome) {
  See(lab);
  Finish(outcome);
}

void Story::Save(const Lab& lab) {
  See(lab);
  Show();
  journal_.Save(profile_);
}

void Story::See(const Ample& ample) {
  facts_.kills = ample.kills();
  facts_.given = ample.setup().given;
}

void Story::See(const Lab& lab) {
  facts_.host.host = lab.machine();
  profile_.host = lab.machine();
  facts_.noise = lab.host().noise();
  facts_.containers = lab.closed();
}

void Story::Show() { Render(facts_, given_, profile_); }

RunEnd Story::Conclude(const RunEnd& end) {
  if (run_stop_.token().stop_requested()) {
    Show();
    return {ProfileState::kCanceled, std::nullopt};
  }
  const bool timed_out = end.state == ProfileState::kTimedOut;
  const bool answered = AnswerOf(facts_).has_value();
  if (timed_out && answered) {
    facts_.cut_short = end.error ? end.error->message : "no time was left";
  }
  Show();
  if (timed_out && answered) return {ProfileState::kSucceeded, std::nullopt};
  // What was thought of a model before it failed is no answer.
  if (end.state == ProfileState::kFailed) {
    profile_.recommendation.reset();
    profile_.no_answer.reset();
  }
  RunEnd told = end;
  if (told.error) AddSavings(facts_, *told.error);
  return told;
}

RunEnd RunProfile(const RunServices& services, Profile& profile, Journal& journal,
                  Announcer& announcer, RunStop& run_stop) {
  return Story(services, profile, journal, announcer, run_stop).Tell();
}

}  // namespace mlprof::server
