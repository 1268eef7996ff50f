#include "server/runtime/docker/environment_size.h"

#include <algorithm>
#include <string>

#include "common/domain/disk_full.h"
#include "common/os/tree_walk.h"
#include "server/runtime/docker/disk/loop_volume.h"

namespace mlprof::docker {
namespace {

constexpr std::int64_t kBlock = 4096;

}  // namespace

Result<EnvironmentSize> SizeOfEnvironment(const std::filesystem::path& environment, Bytes limit,
                                          const Patience& patience) {
  const std::int64_t most = limit.count() + 1;
  std::int64_t size = 0;
  const auto add = [&](const WalkedEntry& entry) {
    // Both are bounded first: a file's size is what its maker says.
    const std::int64_t content = std::clamp<std::int64_t>(entry.status.st_size, 0, most);
    size = std::min(most, size + (content + kBlock - 1) / kBlock * kBlock);
  };
  const auto walk = WalkTree(
      environment,
      {FilesFor(limit), patience.deadline, [&] { return patience.stop.stop_requested(); }}, add);
  if (!walk) return Fail(walk.error());
  if (walk->end == WalkEnd::kGivenUp) return Fail(Cancelled("stopped while counting packages"));
  if (walk->end == WalkEnd::kOutOfTime) {
    return Fail(DeadlineExceeded("what was installed could not be counted in time"));
  }
  if (walk->end == WalkEnd::kTooManyEntries || size == most) {
    return Fail(ErrorCode::kTooLarge, "what was installed is larger than the " + SizeText(limit) +
                                          " or " + std::to_string(FilesFor(limit)) +
                                          " files that an environment may hold");
  }
  return EnvironmentSize{Bytes(size), walk->entries};
}

}  // namespace mlprof::docker
