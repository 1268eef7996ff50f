#include "server/app/recurring.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace mlprof {

Recurring::Recurring(std::chrono::milliseconds pause, std::function<void()> work)
    : thread_([pause, work = std::move(work)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          work();
          wake.wait_for(lock, stop, pause, [] { return false; });
        }
      }) {}

}  // namespace mlprof
