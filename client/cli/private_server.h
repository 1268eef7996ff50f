// The private server that commands without a configured one share. It runs as long as one of them
// holds the users lock; the first starts it, the others find it in server.json.
//
//   DATA_DIR/users.lock   shared by every user; the server takes it exclusively, and ends
//   DATA_DIR/start.lock   held while somebody looks for the server or starts it
//   DATA_DIR/server.json  {"url": "http://127.0.0.1:PORT", "token": "mlp_…", "pid": N}
//   DATA_DIR/server.token the token while the server starts
//
// Both are readable by their owner alone, and the server asks everybody for the token: no other
// user of the machine can use it.
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

struct PrivateServer {
  std::string url;
  std::string token;
  FileLock use;  // the server stays while this is held
  bool started_here = false;
};

/// `runtime`: of a server that has to be started, as its --runtime; "" for what it is configured
/// with. kUnavailable where no server can be found or started until `deadline`.
Result<PrivateServer> JoinPrivateServer(const std::filesystem::path& data_dir,
                                        const std::string& runtime,
                                        const Surroundings& surroundings, const Deadline& deadline);

/// Makes the directory, for its owner alone.
Status MakeDataFolder(const std::filesystem::path& data_dir);

struct RunningServer {
  std::string url;
  std::string token;
  pid_t pid = 0;  // where it was started here
};

/// The private server that server.json names, where it runs; the caller holds start.lock.
std::optional<RunningServer> FindPrivateServer(const std::filesystem::path& data_dir,
                                               const Surroundings& surroundings);

struct ServerTask {
  bool leave_profiles = false;  // it answers, and runs no profile
  std::string runtime;          // as of JoinPrivateServer
};

/// A new server that ends when nobody holds users.lock any more; the caller holds start.lock.
Result<RunningServer> StartServerOn(const std::filesystem::path& data_dir, const ServerTask& task,
                                    const Surroundings& surroundings, const Deadline& deadline);

/// Whether a server, whoever started it, has the directory.
bool IsServed(const std::filesystem::path& data_dir);

/// mlprof-server (or another program of ours) beside this program, else on PATH; "" where neither.
std::filesystem::path FindProgram(const std::string& name, const Surroundings& surroundings);

}  // namespace mlprof::client::cli
