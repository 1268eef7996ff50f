#include "common/os/start_thread.h"

#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "common/log/log.h"

namespace mlprof {
namespace {

void RunToItsEnd(const char* name, const std::function<void(std::stop_token)>& work,
                 std::stop_token stop) {
  try {
    work(std::move(stop));
  } catch (...) {
    LogThrown("a thread ended by an exception", name);
  }
}

}  // namespace

Result<std::jthread> StartThread(const char* name, std::function<void(std::stop_token)> work) {
  const std::string failed = std::string("the thread '") + name + "' could not be started: ";
  try {
    return std::jthread([name, work = std::move(work)](std::stop_token stop) {
      RunToItsEnd(name, work, std::move(stop));
    });
  } catch (const std::system_error& error) {
    return Fail(Error(ErrorCode::kResourceExhausted,
                      failed + error.what() +
                          "; the system's limit of threads is reached (ulimit -u, pids.max)"));
  } catch (const std::bad_alloc&) {
    return Fail(Error(ErrorCode::kResourceExhausted, failed + "out of memory"));
  }
}

}  // namespace mlprof
