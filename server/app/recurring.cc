#include "server/app/recurring.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "common/log/log.h"
#include "common/os/start_thread.h"

namespace mlprof::server {

Result<Recurring> Recurring::Start(const char* name, std::chrono::milliseconds pause,
                                   std::function<void()> work) {
  auto thread =
      StartThread(name, [name, pause, work = std::move(work)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          try {
            work();
          } catch (...) {
            LogThrown("recurring work failed", name);
          }
          wake.wait_for(lock, stop, pause, [] { return false; });
        }
      });
  if (!thread) return Fail(thread.error());
  return Recurring(*std::move(thread));
}

}  // namespace mlprof::server
