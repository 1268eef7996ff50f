// The controller's end of the reversed socket: it listens, the container's agent connects out, and
// exactly one connection, of the container's own first process, is let in.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "common/os/unique_fd.h"
#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::server::docker {

/// A socket in a private folder of its own; both go with it. Not thread-safe.
class AgentSocket {
 public:
  /// Makes `folder` (0700) with "agent.sock" (0666: the container's uids reach it only through the
  /// mount) and listens. Left-overs of the same name are replaced.
  static Result<AgentSocket> Listen(const std::filesystem::path& folder);
  AgentSocket(AgentSocket&&) = default;
  AgentSocket& operator=(AgentSocket&&) = delete;
  ~AgentSocket();

  std::filesystem::path path() const { return folder_ / "agent.sock"; }

  /// Waits for the process `pid` (in our pid namespace) to connect as the container's root; others
  /// are refused. Then nobody can connect any more. `still_running` is asked about four times a
  /// second and may end the wait with an error.
  Result<UniqueFd> Accept(int pid, const std::function<Status()>& still_running,
                          std::stop_token stop, Deadline deadline);

 private:
  AgentSocket(std::filesystem::path folder, UniqueFd listener);
  void Close();

  std::filesystem::path folder_;
  UniqueFd listener_;
};

/// A folder for sockets whose paths fit the 107 bytes a Unix socket address holds: below `data_dir`
/// where possible, else below $XDG_RUNTIME_DIR or /run. kInvalidArgument where none fits.
Result<std::filesystem::path> SocketRoot(const std::filesystem::path& data_dir,
                                         const std::string& instance_id);

/// A short folder name for a container's name, the same every time.
std::string ShortName(const std::string& container_name);

}  // namespace mlprof::server::docker
