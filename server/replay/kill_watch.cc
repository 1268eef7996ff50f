#include "server/replay/kill_watch.h"

namespace mlprof::server {
namespace {

using agent_protocol::RowFailure;

// How long a broken connection waits for the news that a process died. The agent looks every 200 ms
// whether one has vanished (agent/supervise/supervisor.cc); this is that twice, and some.
constexpr std::chrono::milliseconds kWordOfDeath{500};
// How long the next row is held back after a death. The agent does not tell the end of a process
// that is younger than two seconds, and a server may take a moment to replace a dead worker: a row
// that killed the replacement before then would go unnoticed.
constexpr std::chrono::seconds kReplacementStands{3};
// After so many rows whose connections broke although no process died, the server itself closes
// connections in place of a response: no further row is suspected. Chosen, not measured.
constexpr std::size_t kMostCleared = 8;

bool HasNoResponse(const RequestRecord& request) {
  return request.failure == RowFailure::kReset || request.failure == RowFailure::kConnect ||
         request.failure == RowFailure::kTimeout;
}

}  // namespace

void KillWatch::Begin() {
  suspect_.reset();
  convicted_ = false;
  held_until_.reset();
}

void KillWatch::RowResponded(const RequestRecord& request, Time now) {
  if (!HasNoResponse(request)) return;
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

}  // namespace mlprof::server
