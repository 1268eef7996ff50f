#include "server/runtime/environment/environment_uses.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "common/os/unique_fd.h"

namespace mlprof::server::environment {
namespace {

timespec ToTimespec(Timestamp when) {
  const auto since = when.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = std::chrono::nanoseconds(since - seconds).count();
  return time;
}

// A lost note makes an environment look older than it is, and costs its installation at worst.
void WriteTime(const std::filesystem::path& file, Timestamp when) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return;
  const std::array<timespec, 2> times = {ToTimespec(when), ToTimespec(when)};
  ::futimens(fd.get(), times.data());
}

std::optional<Timestamp> ReadTime(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return std::nullopt;
  const auto since = std::chrono::seconds(status.st_mtim.tv_sec) +
                     std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return Timestamp(std::chrono::floor<std::chrono::milliseconds>(since));
}

}  // namespace

Status EnvironmentUses::Use(const std::string& hash, Timestamp now, const Patience& patience) {
  std::unique_lock lock(mutex_);
  if (!ended_.wait_until(lock, patience.stop, patience.deadline.when(),
                         [&] { return !removing_.contains(hash); })) {
    if (patience.stop.stop_requested())
      return Fail(Cancelled("stopped while an image was removed"));
    return Fail(DeadlineExceeded("the image is being removed, which does not end"));
  }
  used_[hash] = now;
  WriteTime(folder_ / hash, now);
  return {};
}

std::optional<Timestamp> EnvironmentUses::LastUse(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  return Find(hash);
}

std::optional<Timestamp> EnvironmentUses::Find(const std::string& hash) const {
  if (const auto used = used_.find(hash); used != used_.end()) return used->second;
  return ReadTime(folder_ / hash);
}

std::optional<EnvironmentUses::Removal> EnvironmentUses::BeginRemoval(const std::string& hash,
                                                                      Timestamp seen) {
  auto name = std::make_unique<const std::string>(hash);
  const std::lock_guard lock(mutex_);
  const auto used = Find(hash);
  if (used && *used != seen) return std::nullopt;
  if (!removing_.insert(hash).second) return std::nullopt;
  return Removal(name.release(), End{this});
}

void EnvironmentUses::Forget(const std::string& hash) {
  const std::lock_guard lock(mutex_);
  used_.erase(hash);
  std::error_code ignored;
  std::filesystem::remove(folder_ / hash, ignored);
}

void EnvironmentUses::EndRemoval(const std::string& hash) {
  const std::lock_guard lock(mutex_);
  removing_.erase(hash);
  ended_.notify_all();
}

}  // namespace mlprof::server::environment
