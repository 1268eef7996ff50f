#include "server/app/retention_schedule.h"

#include <chrono>

#include "common/log/log.h"
#include "server/retention/retention.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kGlance{2};
constexpr std::chrono::hours kBetweenLooks{1};
// The first look waits so long for the engine; after that everything but its images is looked at.
constexpr std::chrono::minutes kLongestWait{10};
// A server that always measures is looked at once a day all the same.
constexpr std::chrono::hours kLongestPutOff{24};
constexpr std::chrono::minutes kLongestLook{30};

}  // namespace

bool RetentionTurns::Take(Deadline::Clock::time_point now, bool ready, bool measuring) {
  if (now < due_) return false;
  if (measuring && now < due_ + kLongestPutOff) return false;
  if (!ready && due_ == start_ && now < start_ + kLongestWait) return false;
  due_ = now + kBetweenLooks;
  return true;
}

Status RetentionSchedule::Start() {
  auto looking = Recurring::Start("retention", kGlance, [this] { Turn(); });
  if (!looking) return Fail(looking.error());
  looking_.emplace(*std::move(looking));
  return {};
}

void RetentionSchedule::Stop() {
  retention_.Stop();
  looking_.reset();
}

void RetentionSchedule::Turn() {
  if (!turns_.Take(Deadline::Clock::now(), ready_(), measuring_())) return;
  const auto found =
      retention_.Collect({false, std::nullopt, Now(), Patience(Deadline::After(kLongestLook))});
  // It fails where a look that was asked for is going on, or the server stops.
  if (!found) LogInfo("did not look at what grows", {{"why", found.error().message()}});
}

}  // namespace mlprof::server
