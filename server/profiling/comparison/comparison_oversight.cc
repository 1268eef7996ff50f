#include "server/profiling/comparison/comparison_oversight.h"

#include "common/log/log.h"
#include "server/analysis/variants/early_end.h"
#include "server/analysis/variants/shared_budget.h"

namespace mlprof::server {
namespace {

SpentShare SpentBy(const Profile& profile) {
  SpentShare spent{profile.request.budget, {}};
  if (profile.started && profile.finished) {
    spent.took =
        std::chrono::duration_cast<std::chrono::seconds>(*profile.finished - *profile.started);
  }
  return spent;
}

}  // namespace

std::optional<ComparisonRecord> ComparisonOversight::ComparisonOf(const std::string& profile_id) {
  auto record = comparisons_.OfProfile(profile_id);
  if (record) return std::move(*record);
  LogWarn("the comparison of a profile cannot be read",
          {{"profile", profile_id}, {"why", record.error().message()}});
  return std::nullopt;
}

// What a run took that a former server began is not counted: it is run again.
void ComparisonOversight::Beginning(Profile& profile) {
  const auto record = ComparisonOf(profile.id);
  if (!record || !record->request.base.budget_given) return;
  std::vector<SpentShare> spent;
  int left = 1;
  for (const std::string& id : record->profile_ids) {
    if (id == profile.id) continue;
    const auto other = profiles_.Get(record->workspace, id);
    if (!other) {
      // Deleted: what it took is not known, and an equal part is not given out again.
      const auto part = record->request.base.budget / std::ssize(record->profile_ids);
      spent.push_back({part, part});
      continue;
    }
    if (IsFinished(other->state)) {
      spent.push_back(SpentBy(*other));
    } else {
      ++left;
    }
  }
  profile.request.budget = NextShare(record->request.base.budget, spent, left);
}

std::optional<std::string> ComparisonOversight::WhyEnd(const Profile& profile,
                                                       std::string_view phase) {
  const auto record = ComparisonOf(profile.id);
  if (!record) return std::nullopt;
  std::vector<Profile> others;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record->profile_ids.size(); ++i) {
    if (record->profile_ids[i] == profile.id) continue;
    auto other = profiles_.Get(record->workspace, record->profile_ids[i]);
    if (!other) continue;
    others.push_back(std::move(*other));
    names.push_back(record->request.variants[i].name);
  }
  std::vector<RivalVariant> rivals;
  for (std::size_t i = 0; i < others.size(); ++i) rivals.push_back({names[i], &others[i]});
  return WhyBeaten(profile, phase, rivals, record->request.prices);
}

}  // namespace mlprof::server
