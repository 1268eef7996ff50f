#include "server/profiling/comparison/comparison_service.h"

#include <algorithm>

#include "server/analysis/variants/ranking.h"
#include "server/profiling/comparison/variant_requests.h"
#include "server/profiling/queue/profile_service.h"
#include "server/registry/model_registry.h"
#include "server/storage/random_id.h"

namespace mlprof::server {
namespace {

// Every profile of a comparison is read for it: a page of these is a thousand profiles at most.
constexpr int kMostListed = 20;

Error BadFields(std::vector<FieldError> problems) {
  return Error(ErrorCode::kInvalidArgument, "the request has bad fields", std::move(problems));
}

// What is wrong with what they share is wrong with each of them.
void AddOnce(FieldError problem, std::vector<FieldError>& problems) {
  if (std::ranges::find(problems, problem) == problems.end()) {
    problems.push_back(std::move(problem));
  }
}

// The first model's, where the request names none. A model that is not there is told of by the
// profiles.
std::optional<InferenceConfig> SharedConfig(ModelRegistry& models, const std::string& workspace,
                                            const ProfileRequest& base) {
  if (base.inference_config || base.model_ids.empty()) return base.inference_config;
  const auto model = models.Get(workspace, base.model_ids.front());
  return model ? model->inference_config : std::nullopt;
}

// What is the same in all of them.
void TakeResolved(const ProfileRequest& resolved, ProfileRequest& base) {
  base.model_ids = resolved.model_ids;
  base.input_dataset_id = resolved.input_dataset_id;
  base.runtime = resolved.runtime;
}

}  // namespace

Result<VariantComparison> ComparisonService::Create(const std::string& workspace,
                                                    const VariantComparisonRequest& request,
                                                    const IdempotencyKey& key) {
  // A retry gets its comparison whatever became of the queue and of what the request names.
  MLPROF_LET(before, comparisons_.MadeBefore(workspace, key));
  if (before) return Shown(*before);
  ComparisonRecord record;
  record.id = RandomId().substr(0, 16);
  record.workspace = workspace;
  record.created = Now();
  record.request = request;
  std::string& name = record.request.base.name;
  if (name.empty()) name = "comparison-" + record.id.substr(0, 8);
  MLPROF_LET(profiles, MakeProfiles(workspace, record.request));
  MLPROF_TRY(profiles_.CheckRoom(CreationRules::kNative, std::ssize(profiles)));
  TakeResolved(profiles.front().request, record.request.base);
  for (const Profile& profile : profiles) record.profile_ids.push_back(profile.id);
  MLPROF_LET(created, comparisons_.Create(record, profiles, key));
  if (!created.replayed) profiles_.Wake();
  return Shown(created.record);
}

Result<std::vector<Profile>> ComparisonService::MakeProfiles(
    const std::string& workspace, const VariantComparisonRequest& request) {
  std::vector<FieldError> problems;
  const auto shared = SharedConfig(models_, workspace, request.base);
  const auto requests = RequestsOf(request, shared, problems);
  std::vector<Profile> profiles;
  std::vector<ProfileRequest> resolved;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto profile = profiles_.Make(workspace, requests[i]);
    if (profile) {
      resolved.push_back(profile->request);
      profiles.push_back(std::move(*profile));
      continue;
    }
    if (profile.error().fields().empty()) return Fail(profile.error());
    for (const FieldError& field : profile.error().fields()) {
      AddOnce({PointerInComparison(field.pointer, request.variants[i], i, shared.has_value()),
               field.detail},
              problems);
    }
  }
  if (problems.empty()) RefuseAlike(resolved, problems);
  if (!problems.empty()) return Fail(BadFields(std::move(problems)));
  return profiles;
}

Result<std::vector<std::optional<Profile>>> ComparisonService::ProfilesOf(
    const ComparisonRecord& record) {
  std::vector<std::optional<Profile>> profiles;
  for (const std::string& id : record.profile_ids) {
    auto profile = profiles_.Get(record.workspace, id);
    if (!profile && profile.error().code() != ErrorCode::kNotFound) return Fail(profile.error());
    profiles.push_back(profile ? std::optional(std::move(*profile)) : std::nullopt);
  }
  return profiles;
}

Result<VariantComparison> ComparisonService::Shown(const ComparisonRecord& record) {
  MLPROF_LET(profiles, ProfilesOf(record));
  return CompareVariants(record, profiles);
}

Result<VariantComparison> ComparisonService::Get(const std::string& workspace,
                                                 const std::string& name_or_id) {
  MLPROF_LET(record, comparisons_.Get(workspace, name_or_id));
  return Shown(record);
}

Result<Page<VariantComparison>> ComparisonService::List(const std::string& workspace,
                                                        const PageRequest& page) {
  PageRequest bounded = page;
  bounded.top = std::min(page.top, kMostListed);
  MLPROF_LET(records, comparisons_.List(workspace, bounded));
  Page<VariantComparison> shown;
  shown.next_cursor = records.next_cursor;
  for (const ComparisonRecord& record : records.value) {
    MLPROF_LET(comparison, Shown(record));
    shown.value.push_back(std::move(comparison));
  }
  return shown;
}

// From the last to the first, so that none of those that wait begins meanwhile.
Result<VariantComparison> ComparisonService::Cancel(const std::string& workspace,
                                                    const std::string& name_or_id) {
  MLPROF_LET(record, comparisons_.Get(workspace, name_or_id));
  MLPROF_LET(profiles, ProfilesOf(record));
  bool cancelled = false;
  std::reverse(profiles.begin(), profiles.end());
  for (const auto& profile : profiles) {
    if (!profile || IsFinished(profile->state)) continue;
    const auto asked = profiles_.Cancel(workspace, profile->id);
    // One may have ended since it was read.
    if (!asked && asked.error().code() != ErrorCode::kConflict) return Fail(asked.error());
    cancelled = cancelled || asked;
  }
  if (!cancelled) return Fail(Conflict("the comparison is finished already"));
  return Shown(record);
}

Status ComparisonService::Delete(const std::string& workspace, const std::string& name_or_id) {
  MLPROF_LET(record, comparisons_.Get(workspace, name_or_id));
  MLPROF_LET(profiles, ProfilesOf(record));
  for (const auto& profile : profiles) {
    if (profile && !IsFinished(profile->state)) {
      return Fail(Conflict("the profile " + profile->request.name + " is " +
                           std::string(Name(profile->state)) + "; cancel the comparison first"));
    }
  }
  for (const auto& profile : profiles) {
    if (profile) MLPROF_TRY(profiles_.Delete(workspace, profile->id));
  }
  return comparisons_.Delete(record);
}

}  // namespace mlprof::server
