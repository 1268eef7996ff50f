#include "server/app/readiness.h"

#include <condition_variable>
#include <exception>
#include <utility>

#include "common/os/start_thread.h"

namespace mlprof::server {

Status Readiness::Start() {
  auto thread = StartThread("readiness", [this](const std::stop_token& stop) { Ask(stop); });
  if (!thread) return Fail(thread.error());
  thread_ = *std::move(thread);
  return {};
}

void Readiness::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Status Readiness::Newest() const {
  const std::lock_guard lock(mutex_);
  if (!newest_) return Fail(Unavailable("the engine has not been asked yet; ask again soon"));
  if (Deadline::Clock::now() - newest_->at > timing_.kept) {
    return Fail(Unavailable("the engine has not been asked for a while; see the server's log"));
  }
  return newest_->status;
}

void Readiness::Ask(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    try {
      Keep(probe_({Deadline::After(timing_.limit), stop}));
    } catch (const std::exception& error) {
      Keep(Fail(Unavailable(std::string("the engine could not be asked: ") + error.what())));
    }
    wake.wait_for(lock, stop, timing_.pause, [] { return false; });
  }
}

void Readiness::Keep(Status status) {
  const std::lock_guard lock(mutex_);
  newest_ = Outcome{std::move(status), Deadline::Clock::now()};
}

}  // namespace mlprof::server
