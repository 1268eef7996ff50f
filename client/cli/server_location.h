// Which server a command talks to: the one it was told, or a private one of its own.
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/surroundings.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

struct ServerLocation {
  std::string url;                 // "": a private server
  std::string token;               // "": none is sent; a private server has one of its own
  std::string ca_file;             // trusted beside the machine's own CAs; "": none
  std::filesystem::path data_dir;  // of the private server
  bool visits = false;             // one of its own on `data_dir`, for this command alone
  bool IsPrivate() const { return url.empty(); }
};

/// `option` is --server; then MLPROF_SERVER, then "server" in $XDG_CONFIG_HOME/mlprof/config.json.
/// The token is MLPROF_TOKEN, else "token" in that file, which goes to that file's server alone;
/// the CA is MLPROF_CA, else "ca".
Result<ServerLocation> LocateServer(const std::string& option, const Surroundings& surroundings);

/// --data-dir: the server that runs on that directory, else one for this command alone.
Result<ServerLocation> LocateDataDirectory(const std::string& data_dir);

/// $XDG_CACHE_HOME/mlprof, else ~/.cache/mlprof: what can be made again.
Result<std::filesystem::path> CacheFolder(const Surroundings& surroundings);

/// $XDG_DATA_HOME/mlprof, else ~/.local/share/mlprof.
Result<std::filesystem::path> PrivateDataFolder(const Surroundings& surroundings);

}  // namespace mlprof::client::cli
