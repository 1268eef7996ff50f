#include "server/runtime/environment/environment_size.h"

#include <algorithm>
#include <string>

#include "common/os/tree_walk.h"
#include "common/units/size_text.h"

namespace mlprof::server::environment {
namespace {

constexpr std::int64_t kBlock = 4096;

}  // namespace

Result<EnvironmentSize> SizeOfEnvironment(const std::filesystem::path& folder,
                                          const EnvironmentSize& most, const Patience& patience) {
  const std::int64_t too_many = most.bytes.count() + 1;
  std::int64_t size = 0;
  const auto add = [&](const WalkedEntry& entry) {
    // Both are bounded first: a file's size is what its maker says.
    const std::int64_t content = std::clamp<std::int64_t>(entry.status.st_size, 0, too_many);
    size = std::min(too_many, size + (content + kBlock - 1) / kBlock * kBlock);
  };
  const auto walk = WalkTree(
      folder, {most.files, patience.deadline, [&] { return patience.stop.stop_requested(); }}, add);
  if (!walk) return Fail(walk.error());
  if (walk->end == WalkEnd::kGivenUp) return Fail(Cancelled("stopped while counting packages"));
  if (walk->end == WalkEnd::kOutOfTime) {
    return Fail(DeadlineExceeded("what was installed could not be counted in time"));
  }
  if (walk->end == WalkEnd::kTooManyEntries || size == too_many) {
    return Fail(ErrorCode::kTooLarge,
                "what was installed is larger than the " + SizeText(most.bytes) + " or " +
                    std::to_string(most.files) + " files that an environment may hold");
  }
  return EnvironmentSize{Bytes(size), walk->entries};
}

}  // namespace mlprof::server::environment
