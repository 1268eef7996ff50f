#include "client/cli/private_server.h"

#include <unistd.h>

#include <optional>

#include "client/cli/server_process.h"
#include "client/cli/text_file.h"
#include "client/src/json_fields.h"
#include "client/src/random_key.h"
#include "common/json/json.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kHealthWait{5};

bool Responds(const RunningServer& server, const Surroundings& surroundings) {
  auto transport = surroundings.connect(server.url, server.token, "");
  if (!transport) return false;
  RestRequest request;
  request.target = "/healthz";
  request.idle_timeout = kHealthWait;
  const auto response = (*transport)->Send(request);
  return response && response->ok();
}

}  // namespace

Status MakeDataFolder(const fs::path& data_dir) {
  std::error_code error;
  fs::create_directories(data_dir, error);
  if (error) {
    return Fail(Unavailable("cannot create " + data_dir.string() + ": " + error.message()));
  }
  fs::permissions(data_dir, fs::perms::owner_all, error);
  return {};
}

// A server holds its data directory's lock as long as it lives. Whoever has taken the port of one
// that ended does not: only our own user can open the file.
bool IsServed(const fs::path& data_dir) {
  std::error_code error;
  return fs::exists(data_dir / "lock", error) &&
         !FileLock::Take(data_dir / "lock", LockKind::kShared,
                         Deadline::After(std::chrono::seconds(0)));
}

std::optional<RunningServer> FindPrivateServer(const fs::path& data_dir,
                                               const Surroundings& surroundings) {
  if (!IsServed(data_dir)) return std::nullopt;
  const auto text = ReadTextFile(data_dir / "server.json");
  if (!text) return std::nullopt;
  const auto json = ParseJson(*text);
  if (!json || !json->is_object()) return std::nullopt;
  RunningServer server{TextField(*json, "url"), TextField(*json, "token")};
  if (server.url.empty() || !Responds(server, surroundings)) return std::nullopt;
  return server;
}

// The server reads the token from a file: anybody can read the arguments of a process.
Result<RunningServer> StartServerOn(const fs::path& data_dir, const ServerTask& task,
                                    const Surroundings& surroundings, const Deadline& deadline) {
  const fs::path program = FindProgram("mlprof-server", surroundings);
  if (program.empty()) {
    return Fail(Unavailable(
        "no server is configured (--server, MLPROF_SERVER), and mlprof-server was found neither "
        "beside mlprof nor on PATH to start a private one"));
  }
  const std::string token = RandomSecret();
  const fs::path token_file = data_dir / "server.token";
  MLPROF_TRY(WriteTextFile(token_file, token + "\n", true));
  const auto process =
      StartServerProcess({program, data_dir, data_dir / "users.lock", token_file,
                          data_dir / "server.log", task.leave_profiles, task.runtime},
                         deadline);
  std::error_code ignored;
  fs::remove(token_file, ignored);
  if (!process) return Fail(process.error());
  return RunningServer{process->url, token, process->pid};
}

fs::path FindProgram(const std::string& name, const Surroundings& surroundings) {
  const auto runs = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
  };
  if (const fs::path beside = surroundings.program_folder / name; runs(beside)) return beside;
  std::string path = surroundings.environment("PATH").value_or("");
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    if (const fs::path file = fs::path(path.substr(0, end)) / name; end > 0 && runs(file)) {
      return file;
    }
    path.erase(0, end + 1);
  }
  return {};
}

Result<PrivateServer> JoinPrivateServer(const fs::path& data_dir, const std::string& runtime,
                                        const Surroundings& surroundings,
                                        const Deadline& deadline) {
  MLPROF_TRY(MakeDataFolder(data_dir));
  // First the use: a server that is about to end keeps this lock until it is gone.
  MLPROF_LET(use, FileLock::Take(data_dir / "users.lock", LockKind::kShared, deadline));
  const auto start = FileLock::Take(data_dir / "start.lock", LockKind::kExclusive, deadline);
  if (!start) return Fail(start.error());
  if (auto server = FindPrivateServer(data_dir, surroundings)) {
    return PrivateServer{std::move(server->url), std::move(server->token), std::move(use), false};
  }
  MLPROF_LET(server, StartServerOn(data_dir, {false, runtime}, surroundings, deadline));
  const Json record = {{"url", server.url}, {"token", server.token}, {"pid", server.pid}};
  MLPROF_TRY(WriteTextFile(data_dir / "server.json", DumpJson(record), true));
  return PrivateServer{std::move(server.url), std::move(server.token), std::move(use), true};
}

}  // namespace mlprof::client::cli
