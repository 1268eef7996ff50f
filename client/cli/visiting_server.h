// A server on a data directory that is another server's at other times, for as long as one command
// needs it: it runs no profile, leaves unfinished ones as they are, and is gone when the command
// ends.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "client/cli/file_lock.h"
#include "client/cli/surroundings.h"
#include "common/result/result.h"
#include "common/time/deadline.h"

namespace mlprof::client::cli {

class VisitingServer {
 public:
  /// The private server that runs there, else one of our own. kUnavailable where another
  /// mlprof-server has the directory, or none can be started until `deadline`.
  static Result<VisitingServer> Start(const std::filesystem::path& data_dir,
                                      const Surroundings& surroundings, const Deadline& deadline);
  VisitingServer(VisitingServer&& other) noexcept;
  VisitingServer& operator=(VisitingServer&&) = delete;
  /// Ends our own and waits for it, so that the next server has the directory.
  ~VisitingServer();

  const std::string& url() const { return url_; }
  const std::string& token() const { return token_; }

 private:
  VisitingServer(FileLock use, FileLock start) : use_(std::move(use)), start_(std::move(start)) {}

  FileLock use_;    // a private server stays while this is held, and ours ends with us
  FileLock start_;  // nobody takes ours for the private server and asks it to profile
  std::string url_;
  std::string token_;
  pid_t process_ = 0;  // 0: it is not ours
};

}  // namespace mlprof::client::cli
