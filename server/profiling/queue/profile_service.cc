#include "server/profiling/queue/profile_service.h"

#include <random>

#include "server/analysis/series.h"
#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/live_progress.h"
#include "server/profiling/queue/profile_queue.h"
#include "server/profiling/queue/resolve_request.h"
#include "server/registry/artifact_store.h"
#include "server/registry/model_registry.h"

namespace mlprof::server {
namespace {

constexpr std::int64_t kLongestQueue = 1000;
// Clients of Azure ML v1 expect that every profile is taken; a disk has an end.
constexpr std::int64_t kLongestAzureQueue = 10 * kLongestQueue;

// 64 random bits in hex: unique enough for one installation, short enough for container names.
std::string NewId() {
  static thread_local std::random_device device;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 16; ++i) id += kDigits[device() % kDigits.size()];
  return id;
}

Profile NewProfile(const std::string& workspace, ResolvedRequest resolved) {
  Profile profile;
  profile.id = NewId();
  profile.workspace = workspace;
  profile.request = std::move(resolved.request);
  profile.asked_ceiling = profile.request.ceiling;
  profile.asked_connections = profile.request.objective.connections;
  if (profile.request.name.empty()) profile.request.name = "profile-" + profile.id.substr(0, 8);
  profile.warnings = std::move(resolved.warnings);
  profile.created = Now();
  profile.progress = {"queued", 0, "waiting", std::nullopt};
  return profile;
}

}  // namespace

ProfileService::ProfileService(ProfileRepository& profiles, ModelRegistry& models,
                               DatasetRegistry& datasets, SourceRegistry& sources,
                               ArtifactStore& artifacts, ProfileQueue& queue, EventHub& events,
                               LiveProgress& live, std::string runtime_name,
                               devices::DevicePool* gpus, devices::DevicePool* tpus)
    : profiles_(profiles),
      models_(models),
      datasets_(datasets),
      sources_(sources),
      artifacts_(artifacts),
      queue_(queue),
      events_(events),
      live_(live),
      runtime_name_(std::move(runtime_name)),
      gpus_(gpus),
      tpus_(tpus) {}

Result<CreatedProfile> ProfileService::Rerun(const std::string& workspace,
                                             const std::string& name_or_id,
                                             std::optional<bool> when_quiet,
                                             const IdempotencyKey& key) {
  MLPROF_LET(before, profiles_.MadeBefore(workspace, key));
  if (before) return CreatedProfile{std::move(*before), true};
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  MLPROF_LET(newest, profiles_.Get(workspace, profile.request.name));
  if (!IsFinished(newest.state)) {
    return Fail(
        Conflict("the newest run of that name is unfinished: " + std::string(Name(newest.state))));
  }
  ProfileRequest request = profile.request;
  request.ceiling = profile.asked_ceiling;
  request.objective.connections = profile.asked_connections;
  request.when_quiet = when_quiet.value_or(request.when_quiet);
  return Queue(workspace, request, key, CreationRules::kNative, MoreRuns::kAllowed);
}

Result<CreatedProfile> ProfileService::Create(const std::string& workspace,
                                              const ProfileRequest& request,
                                              const IdempotencyKey& key, CreationRules rules) {
  // A retry gets its profile whatever became of the queue and of what the request names.
  MLPROF_LET(before, profiles_.MadeBefore(workspace, key));
  if (before) return CreatedProfile{std::move(*before), true};
  return Queue(workspace, request, key, rules,
               rules == CreationRules::kAzureV1 ? MoreRuns::kAllowed : MoreRuns::kRefused);
}

Result<CreatedProfile> ProfileService::Queue(const std::string& workspace,
                                             const ProfileRequest& request,
                                             const IdempotencyKey& key, CreationRules rules,
                                             MoreRuns more_runs) {
  MLPROF_LET(profile, Make(workspace, request));
  MLPROF_TRY(CheckRoom(rules));
  auto created = profiles_.Create(profile, key, more_runs == MoreRuns::kAllowed);
  if (created && !created->replayed) queue_.Wake();
  return created;
}

Result<Profile> ProfileService::Make(const std::string& workspace, const ProfileRequest& request) {
  MLPROF_LET(resolved, ResolveRequest({models_, datasets_, sources_, runtime_name_, gpus_, tpus_},
                                      workspace, request));
  return NewProfile(workspace, std::move(resolved));
}

void ProfileService::Wake() { queue_.Wake(); }

Status ProfileService::CheckRoom(CreationRules rules, std::int64_t more) {
  MLPROF_LET(queued, profiles_.CountQueued());
  if (queued + more <= (rules == CreationRules::kNative ? kLongestQueue : kLongestAzureQueue))
    return {};
  return Fail(ErrorCode::kResourceExhausted,
              "the queue holds " + std::to_string(queued) + " profiles; try again later");
}

Result<std::optional<Profile>> ProfileService::MadeBefore(const std::string& workspace,
                                                          const IdempotencyKey& key) {
  return profiles_.MadeBefore(workspace, key);
}

Result<std::vector<FieldError>> ProfileService::UnknownIds(const std::string& workspace,
                                                           const ProfileRequest& request) {
  return server::UnknownIds({models_, datasets_, sources_, runtime_name_}, workspace, request);
}

Result<Profile> ProfileService::Get(const std::string& workspace, const std::string& name_or_id) {
  auto profile = profiles_.Get(workspace, name_or_id);
  if (!profile || IsFinished(profile->state)) return profile;
  if (auto progress = live_.Get(profile->id)) profile->progress = std::move(*progress);
  return profile;
}

Result<Page<Profile>> ProfileService::List(const std::string& workspace,
                                           const ProfileFilter& filter, const PageRequest& page) {
  return profiles_.List(workspace, filter, page);
}

Result<Profile> ProfileService::Cancel(const std::string& workspace,
                                       const std::string& name_or_id) {
  const auto profile = profiles_.Get(workspace, name_or_id);
  if (!profile) return profile;
  if (IsFinished(profile->state)) {
    return Fail(Conflict("the profile is finished already: " + std::string(Name(profile->state))));
  }
  MLPROF_TRY(queue_.Cancel(*profile));
  return Get(workspace, profile->id);
}

Status ProfileService::Delete(const std::string& workspace, const std::string& name_or_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  MLPROF_LET(artifacts, profiles_.Delete(workspace, profile.id));
  artifacts_.ForgetContentOf(artifacts);
  events_.Forget(profile.id);
  return {};
}

Result<Profile> ProfileService::Apply(const std::string& workspace, const std::string& name_or_id) {
  auto profile = profiles_.Get(workspace, name_or_id);
  if (!profile) return profile;
  if (!IsFinished(profile->state)) return Fail(Conflict("the profile is not finished yet"));
  if (profile->no_answer) {
    return Fail(Conflict("the profile has no answer to apply: " + profile->no_answer->message));
  }
  if (!profile->recommendation) return Fail(Conflict("the profile has no recommendation"));
  ModelChange change;
  change.add_tags = RecommendationTags(*profile->recommendation);
  for (const std::string& id : profile->request.model_ids) {
    if (auto model = models_.Change(workspace, id, change); !model) return Fail(model.error());
  }
  return profile;
}

Result<std::vector<Series>> ProfileService::Samples(const std::string& workspace,
                                                    const std::string& name_or_id,
                                                    const SampleRange& range) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  MLPROF_LET(former, profiles_.FormerSamples(profile.id));
  MLPROF_LET(parts, profiles_.SeriesParts(profile.id));
  for (Series& made : MakeSeries(former)) parts.push_back(std::move(made));
  std::vector<Series> all = Join(std::move(parts));
  for (Series& series : all) {
    std::erase_if(series.points, [&](const SeriesPoint& point) {
      const double at = std::chrono::duration<double>(point.at).count();
      return (range.from && at < *range.from) || (range.to && at > *range.to);
    });
    series.points = Thin(series.points, static_cast<std::size_t>(range.max_points));
  }
  std::erase_if(all, [](const Series& series) { return series.points.empty(); });
  return all;
}

Result<PointCount> ProfileService::CountPoints(const std::string& workspace,
                                               const std::string& name_or_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return profiles_.CountPoints(profile.id);
}

Result<std::vector<Trial>> ProfileService::Trials(const std::string& workspace,
                                                  const std::string& name_or_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return profiles_.Trials(profile.id);
}

Result<std::vector<RowRecord>> ProfileService::Rows(const std::string& workspace,
                                                    const std::string& name_or_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return profiles_.Rows(profile.id);
}

Result<std::string> ProfileService::Logs(const std::string& workspace,
                                         const std::string& name_or_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return profiles_.Log(profile.id);
}

Result<Page<Artifact>> ProfileService::Artifacts(const std::string& workspace,
                                                 const std::string& name_or_id,
                                                 const PageRequest& page) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return artifacts_.List(profile.id, page);
}

Result<Artifact> ProfileService::GetArtifact(const std::string& workspace,
                                             const std::string& name_or_id,
                                             const std::string& artifact_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return artifacts_.Get(profile.id, artifact_id);
}

Result<std::filesystem::path> ProfileService::ArtifactFile(const Artifact& artifact) {
  return artifacts_.File(artifact);
}

Status ProfileService::DeleteArtifact(const std::string& workspace, const std::string& name_or_id,
                                      const std::string& artifact_id) {
  MLPROF_LET(profile, profiles_.Get(workspace, name_or_id));
  return artifacts_.Remove(profile.id, artifact_id);
}

}  // namespace mlprof::server
