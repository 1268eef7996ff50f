#include "server/profiling/run/inputs.h"

#include <algorithm>

#include "server/profiling/run/recorded_arrivals.h"
#include "server/registry/byte_source.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/model_weights.h"
#include "server/registry/source_registry.h"
#include "server/runtime/model_start.h"
#include "server/runtime/unpacked_content.h"

namespace mlprof::server {
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

std::shared_ptr<const ContentReader> ReaderOf(const VerifiedContent& content, std::string owner) {
  return std::make_shared<UnpackedContent>(
      std::move(owner), content.files,
      [archive = content.archive] { return FileSource::Open(archive); });
}

void Add(std::optional<Bytes>& sum, const std::optional<Bytes>& more) {
  if (more) sum = sum.value_or(Bytes()) + *more;
}

// Files that tell nothing of their parameters take nothing from a profile.
void AddParameters(const std::filesystem::path& files, StoredParameters& all) {
  const auto weights = ReadModelWeights(files);
  if (!weights || weights->parameters == 0) return;
  const Bytes stored = TotalBytes(weights->by_type);
  const auto half = std::ranges::find(weights->in_smaller_types, "bfloat16", &InSmallerType::type);
  Add(all.stored, stored);
  Add(all.in_half, half == weights->in_smaller_types.end() ? stored : half->bytes);
}

// In whole steps of memory; at least half, where the reserve is most of a small machine.
Bytes MostMemory(const HostFacts& host) {
  const std::int64_t most = std::max((host.memory - kHostReserve).count(), host.memory.count() / 2);
  return Bytes(most / kMemoryQuantum.count() * kMemoryQuantum.count());
}

}  // namespace

HostChoice ChooseWithin(const HostFacts& host, const Cpuset& cpuset, const Ceiling& asked) {
  // A CPU limit above the cores of its set does not bind the model, and could not be tried.
  const int cores = std::min(host.cores, cpuset.cores());
  const Limits most{Cores(static_cast<double>(cores)), MostMemory(host)};
  Limits wanted = most;
  if (asked.cpu) wanted.Set(*asked.cpu);
  if (asked.memory) wanted.Set(*asked.memory);
  HostChoice choice{host, most.memory(), most, cpuset, false};
  for (const Amount& amount : wanted.All()) {
    const Amount given = Lesser(amount, *most.Find(amount.kind()));
    // An answer lies on the grid and is no more than was asked for.
    choice.ceiling.Set(RoundDown(given));
    choice.asked_for_more |= given < amount;
  }
  return choice;
}

PhaseResult<HostChoice> TakeHost(const RunServices& services, const Ceiling& asked,
                                 RunStop& run_stop) {
  const auto host = services.runtime.Host(Deadline::After(kHostDeadline), run_stop.token());
  if (!host) {
    run_stop.Ask(StopReason::kEngine, host.error().message());
    return Canceled();
  }
  return ChooseWithin(*host, services.cpuset_of(host->cores), asked);
}

PhaseResult<std::unique_ptr<RowSource>> OpenRows(const RunServices& services,
                                                 const Profile& profile, RunStop& run_stop) {
  const auto dataset = services.datasets.Get(profile.workspace, profile.request.input_dataset_id);
  if (!dataset) return Missing(dataset.error(), run_stop);
  auto rows = services.datasets.OpenRows(*dataset, run_stop.token());
  if (!rows) return Damaged(rows.error(), run_stop);
  return std::move(*rows);
}

PhaseResult<Objective> OpenObjective(const RunServices& services, const Profile& profile,
                                     RunStop& run_stop) {
  Objective objective = profile.request.objective;
  const Status read = ReadRecorded(services.datasets, profile.workspace, objective);
  if (!read) return Damaged(read.error(), run_stop);
  return objective;
}

PhaseResult<PlacedInputs> PlaceInputs(const RunServices& services, const Profile& profile,
                                      RunStop& run_stop) {
  const InferenceConfig& config = *profile.request.inference_config;
  std::vector<ModelFiles> models;
  StoredParameters parameters;
  for (const std::string& id : profile.request.model_ids) {
    const auto model = services.models.Get(profile.workspace, id);
    if (!model) return Missing(model.error(), run_stop);
    const auto content = services.models.Verified(*model, run_stop.token());
    if (!content) return Damaged(content.error(), run_stop);
    AddParameters(content->files, parameters);
    models.push_back({*model, ReaderOf(*content, "the model " + model->id)});
  }
  PlacedModels placed = PlaceModels(models, config);
  PlacedInputs inputs{std::move(placed.inputs), std::move(placed.model_directory), {}, parameters};
  if (const auto* script = std::get_if<EntryScriptConfig>(&config.service)) {
    const auto source =
        services.sources.Verified(profile.workspace, script->source_id, run_stop.token());
    if (!source) return Damaged(source.error(), run_stop);
    inputs.source = ReaderOf(*source, "the source");
    inputs.inputs.push_back({source->sha256, source->size, kSourceMount, inputs.source});
  }
  return inputs;
}

}  // namespace mlprof::server
