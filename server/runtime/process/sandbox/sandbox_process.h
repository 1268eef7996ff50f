// A sandbox that runs, kept by a child process of ours (agent/sandbox/keeper.h): what it writes is
// kept in memory, how it ended is told, and it ends with this.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "common/sandbox/sandbox_plan.h"
#include "common/time/deadline.h"
#include "common/units/bytes.h"

namespace mlprof::server::process {

/// The last bytes of what was written, so many at most. Thread-safe.
class LogTail {
 public:
  explicit LogTail(Bytes most) : most_(static_cast<std::size_t>(most.count())) {}
  void Add(std::string_view text);
  std::string Last(Bytes max) const;

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::string text_;
};

/// Thread-safe once started.
class SandboxProcess {
 public:
  using OnOutput = std::function<void(std::string_view)>;

  /// Starts `agent` with the plan. `link`: handed to the command as kSandboxLinkFd, may be empty.
  /// `on_output` is called on a thread of this class's. kResourceExhausted where there is no
  /// process or thread for it.
  static Result<std::unique_ptr<SandboxProcess>> Start(const std::filesystem::path& agent,
                                                       const SandboxPlan& plan, UniqueFd link,
                                                       OnOutput on_output = {});
  ~SandboxProcess();
  SandboxProcess(const SandboxProcess&) = delete;
  SandboxProcess& operator=(const SandboxProcess&) = delete;

  /// How the command ended; nullopt while it runs.
  std::optional<SandboxEnd> Ended();
  /// Waits for that. kCancelled, kDeadlineExceeded.
  Result<SandboxEnd> AwaitEnd(const Patience& patience);
  /// Where the "/" of its command is seen from here, which is known to the keeper's child; "" once
  /// it is over.
  std::filesystem::path Root() const;
  /// The last of what it wrote. All of it once End() has returned.
  std::string Log(Bytes max) const { return log_.Last(max); }
  /// Ends it, and waits for the keeper, which removes what it has made. Idempotent.
  /// kDeadlineExceeded where the keeper did not end in time: it was killed then.
  Status End(Deadline deadline);

 private:
  SandboxProcess() = default;
  void ReadOutput(const std::stop_token& stop, const OnOutput& on_output);

  pid_t keeper_ = 0;
  UniqueFd plan_;    // closed to end it
  UniqueFd output_;  // the reader's
  UniqueFd report_;
  LogTail log_{MiB(2)};
  std::mutex mutex_;  // of what follows
  std::string told_;
  std::optional<SandboxEnd> end_;
  bool over_ = false;
  std::jthread reader_;
};

}  // namespace mlprof::server::process
