#include "server/replay/kill_watch.h"

namespace mlprof {
namespace {

using agent_protocol::RowFailure;

// The agent looks every 200 ms whether a process has vanished.
constexpr std::chrono::milliseconds kWordOfDeath{500};
// The agent says nothing of the end of a process that had not stood for two seconds, and a server
// may take a moment to replace one: a row that ended the replacement before would go unnoticed.
constexpr std::chrono::seconds kReplacementStands{3};
// A server that lives on behind so many broken connections breaks them itself.
constexpr std::size_t kMostCleared = 8;

bool HasNoAnswer(const RequestRecord& request) {
  return request.failure == RowFailure::kReset || request.failure == RowFailure::kConnect ||
         request.failure == RowFailure::kTimeout;
}

}  // namespace

void KillWatch::Begin() {
  suspect_.reset();
  convicted_ = false;
  held_until_.reset();
}

void KillWatch::RowAnswered(const RequestRecord& request, Time now) {
  if (!HasNoAnswer(request)) return;
  if (cleared_.contains(request.row) || cleared_.size() >= kMostCleared) return;
  suspect_ = request.row;
  held_until_ = now + kWordOfDeath;
  if (deaths_ > deaths_before_) Convict(now);
}

void KillWatch::ProcessDied(Time now) {
  ++deaths_;
  if (suspect_ && !convicted_) Convict(now);
}

void KillWatch::Convict(Time now) {
  convicted_ = true;
  held_until_ = now + kReplacementStands;
}

void KillWatch::Pass(Time now) {
  if (!held_until_ || now < *held_until_) return;
  held_until_.reset();
  if (convicted_) return;
  cleared_.insert(*suspect_);
  suspect_.reset();
}

}  // namespace mlprof
