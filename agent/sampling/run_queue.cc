#include "agent/sampling/run_queue.h"

#include <dirent.h>

#include <memory>
#include <string>
#include <utility>

#include "agent/sampling/kept_file.h"

namespace mlprof::agent {

std::optional<std::chrono::nanoseconds> ParseRunQueueWait(std::string_view schedstat) {
  const std::size_t space = schedstat.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto waited = ParseNumber(schedstat.substr(space + 1));
  if (!waited || schedstat.starts_with("0 0 0")) return std::nullopt;
  return std::chrono::nanoseconds(*waited);
}

RunQueue::Threads RunQueue::ReadAll() const {
  Threads threads;
  for (const pid_t pid : list_()) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(folder.c_str()), &::closedir);
    while (const dirent* entry = tasks ? ::readdir(tasks.get()) : nullptr) {
      const auto thread = ParseNumber(entry->d_name);
      if (!thread) continue;
      const KeptFile file(folder + "/" + entry->d_name + "/schedstat");
      const auto waited = ParseRunQueueWait(file.Read().value_or(""));
      if (waited) threads[static_cast<pid_t>(*thread)] = *waited;
    }
  }
  return threads;
}

std::optional<std::chrono::nanoseconds> RunQueue::Waited() {
  Threads now = ReadAll();
  for (const auto& [thread, waited] : now) {
    auto known = threads_.extract(thread);
    if (!known) known = missed_.extract(thread);
    // The kernel's figure never falls: a smaller one is of a new thread with a former one's number.
    const bool same = known && known.mapped() <= waited;
    waited_ += same ? waited - known.mapped() : waited;
  }
  missed_ = std::exchange(threads_, std::move(now));
  if (threads_.empty()) return std::nullopt;
  return waited_;
}

}  // namespace mlprof::agent
