#include "server/profiling/profile_run.h"

#include <algorithm>

#include "server/profiling/model_mounts.h"
#include "server/profiling/phases/cold_starts.h"
#include "server/profiling/phases/load.h"
#include "server/profiling/phases/load_curve.h"
#include "server/profiling/phases/plateau.h"
#include "server/profiling/phases/preflight.h"
#include "server/profiling/phases/prepare.h"
#include "server/profiling/phases/row_pass.h"
#include "server/profiling/phases/search_cpu.h"
#include "server/profiling/phases/search_memory.h"
#include "server/profiling/phases/thread_pools.h"
#include "server/profiling/phases/tightness.h"
#include "server/profiling/phases/verify.h"
#include "server/profiling/phases/warm_up.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/source_registry.h"
#include "server/runtime/model_start.h"

namespace mlprof {
namespace {

constexpr std::chrono::seconds kHostDeadline{15};
// The engine, the controller and the system keep this much of the host's memory.
constexpr Bytes kHostReserve = GiB(1);

tl::unexpected<RunEnd> InputMissing(const Error& error) {
  return FailRun({"InputMissing",
                  "what the profile needs is missing or damaged: " + error.message(),
                  {"register it again and create the profile again"},
                  ""});
}

// What is not there ends the profile; what cannot be read now may be read later.
tl::unexpected<RunEnd> Missing(const Error& error, RunStop& run_stop) {
  if (error.code() != ErrorCode::kNotFound) {
    run_stop.Ask(StopReason::kStorage, error.message());
    return Canceled();
  }
  return InputMissing(error);
}

// Content that is not what it was stored as stays so.
tl::unexpected<RunEnd> Damaged(const Error& error, RunStop& run_stop) {
  if (error.code() == ErrorCode::kCancelled) return Canceled();
  if (error.code() == ErrorCode::kConflict) return InputMissing(error);
  return Missing(error, run_stop);
}

PhaseResult<Rows> LoadRows(const RunServices& services, const Profile& profile, RunStop& run_stop) {
  const auto dataset = services.datasets.Get(profile.workspace, profile.request.input_dataset_id);
  if (!dataset) return Missing(dataset.error(), run_stop);
  auto rows = services.datasets.ReadRows(*dataset);
  if (!rows) return Damaged(rows.error(), run_stop);
  return std::move(*rows);
}

PhaseResult<void> PlaceInputs(const RunServices& services, RunContext& context) {
  const Profile& profile = context.profile();
  std::vector<ModelFiles> models;
  for (const std::string& id : profile.request.model_ids) {
    const auto model = services.models.Get(profile.workspace, id);
    if (!model) return Missing(model.error(), context.run_stop);
    const auto files = services.models.VerifiedFiles(*model, context.stop);
    if (!files) return Damaged(files.error(), context.run_stop);
    models.push_back({*model, *files});
  }
  ModelMounts placed = PlaceModels(models, context.config());
  context.mounts = std::move(placed.mounts);
  context.model_directory = placed.model_directory;
  if (const auto* script = std::get_if<EntryScriptConfig>(&context.config().service)) {
    const auto source =
        services.sources.VerifiedFiles(profile.workspace, script->source_id, context.stop);
    if (!source) return Damaged(source.error(), context.run_stop);
    context.source_directory = *source;
    context.mounts.push_back({*source, kSourceMount});
  }
  return {};
}

// What the host can give, and the ceiling within it.
PhaseResult<void> TakeHost(const RunServices& services, RunContext& context) {
  auto host = services.runtime.Host(Deadline::After(kHostDeadline), context.stop);
  if (!host) {
    context.run_stop.Ask(StopReason::kEngine, host.error().message());
    return Canceled();
  }
  Profile& profile = context.profile();
  const Limits most{
      Cores(static_cast<double>(host->cores)),
      Bytes(std::max((host->memory - kHostReserve).count(), host->memory.count() / 2) /
            kMemoryQuantum.count() * kMemoryQuantum.count())};
  const Ceiling asked = profile.request.ceiling;
  context.ceiling = {std::min(asked.cpu.value_or(most.cpu), most.cpu),
                     std::min(asked.memory.value_or(most.memory), most.memory)};
  context.host_cores = host->cores;
  context.host_memory = most.memory;
  if (asked.cpu.value_or(most.cpu) > most.cpu || asked.memory.value_or(most.memory) > most.memory) {
    context.recorder.Warn({"ceilingLowered",
                           "the host has less than the ceiling that was asked for",
                           "profile on a larger machine if production has more"});
  }
  if (services.model_cpuset.empty()) {
    context.recorder.Warn(
        {"sharedCores", "the model shares its cores with what drives it: the host has fewer than 4",
         "profile on a machine of 4 cores or more for quieter figures"});
  }
  profile.request.ceiling = {context.ceiling.cpu, context.ceiling.memory};
  profile.host = std::move(*host);
  return {};
}

// All that is measured in one container at the ceiling. Gives what it used at most.
PhaseResult<ResourceUse> MeasureAmple(RunContext& context) {
  auto started = phases::ColdStarts(context);
  if (!started) return tl::unexpected<RunEnd>(started.error());
  std::unique_ptr<RunningModel> model = std::move(*started);
  auto ended = phases::WarmUp(context, model);
  if (ended) ended = phases::RowPass(context, model);
  if (ended) ended = phases::Load(context, *model);
  if (ended) ended = phases::Plateau(context, *model);
  // Where a fresh container was needed and not to be had, there is none.
  if (!ended) return tl::unexpected<RunEnd>(ended.error());
  const ResourceUse use = Summarize(model->AllSamples());
  ended = phases::SearchCpu(context, *model);
  if (ended) ended = phases::MeasureLoadCurve(context, *model);
  if (!ended) return tl::unexpected<RunEnd>(ended.error());
  return use;
}

// The answer, proven in containers of its own.
PhaseResult<void> Prove(RunContext& context, const ResourceUse& ample) {
  auto ended = phases::SearchMemory(context, ample.peak_mapped_file);
  if (ended) ended = phases::TryThreadPools(context, ample.most_tasks);
  if (!ended) return ended;
  auto proof = phases::Verify(context);
  if (!proof) return tl::unexpected<RunEnd>(proof.error());
  if (!*proof) return {};
  return phases::TestTightness(context, *std::move(*proof));
}

PhaseResult<void> TellStory(const RunServices& services, RunContext& context) {
  if (auto ended = TakeHost(services, context); !ended) return ended;
  if (auto ended = PlaceInputs(services, context); !ended) return ended;
  if (auto ended = phases::Prepare(context); !ended) return ended;
  if (auto ended = phases::Preflight(context); !ended) return ended;
  const auto ample = MeasureAmple(context);
  if (!ample) return tl::unexpected<RunEnd>(ample.error());
  return Prove(context, *ample);
}

// The figures that belong to the whole run rather than to one trial.
void CompleteMeasurements(RunContext& context) {
  auto& measurements = context.profile().measurements;
  if (!measurements) return;
  const Observations& found = context.observed;
  measurements->max_utilized_memory = found.peak_memory;
  if (found.peak_memory && found.need.start_peak > *found.peak_memory) {
    measurements->max_utilized_memory = found.need.start_peak;  // seen between two samples
  }
  measurements->rows_replayed = found.distinct_rows;
  if (const auto& memory = context.profile().findings.memory) {
    measurements->memory_per_concurrent_query = memory->per_concurrent_request;
  }
  if (!measurements->start_seconds && !found.start_seconds.empty()) {
    measurements->start_seconds = found.start_seconds.back();
    measurements->start_cpu_seconds = found.start_cpu_seconds.back();
    measurements->start_peak_memory = found.need.start_peak;
  }
}

}  // namespace

RunEnd RunProfile(const RunServices& services, RunRecorder& recorder, RunStop& run_stop) {
  auto rows = LoadRows(services, recorder.profile(), run_stop);
  if (!rows) return rows.error();
  RunContext context(*rows, services.runtime, services.clock, services.read_host_load, recorder,
                     run_stop);
  const auto told = TellStory(services, context);
  CompleteMeasurements(context);
  if (context.stop.stop_requested()) return {ProfileState::kCanceled, std::nullopt};
  if (told) return {ProfileState::kSucceeded, std::nullopt};
  const bool answered = recorder.profile().recommendation.has_value();
  if (told.error().state == ProfileState::kTimedOut && answered) {
    recorder.Warn({"unverified",
                   "the budget was used up before the answer could be verified: " +
                       (told.error().error ? told.error().error->message : "no time was left"),
                   "allow a longer budget with --budget-seconds"});
    return {ProfileState::kSucceeded, std::nullopt};
  }
  // What was thought of a model before it failed is no answer.
  if (told.error().state == ProfileState::kFailed) recorder.profile().recommendation.reset();
  return told.error();
}

}  // namespace mlprof
