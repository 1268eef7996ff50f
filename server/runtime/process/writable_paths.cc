#include "server/runtime/process/writable_paths.h"

#include <set>
#include <system_error>

#include "common/domain/inference_config.h"
#include "server/runtime/writable_path.h"

namespace mlprof::server::process {
namespace {

Error CannotBeWritable(const std::string& path, const std::string& why) {
  return InvalidArgument("'" + path + "' cannot be a writable path: " + why);
}

Status CheckHere(const std::string& path, const std::string& data) {
  // The machine's own name for it. What cannot be looked up is no link that could be followed.
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  if (!error && real != path) {
    return Fail(CannotBeWritable(
        path, "on this machine it leads through a link to '" + real + "': name that"));
  }
  if (IsWithin(path, data)) {
    return Fail(CannotBeWritable(path, "it lies in the server's data directory " + data +
                                           ", which no model sees: name a folder elsewhere"));
  }
  if (IsWithin(data, path)) {
    return Fail(
        CannotBeWritable(path, "the server's data directory " + data +
                                   " lies in it, which no model sees: name the folder below it "
                                   "that the model writes to, or let it write to /tmp or HOME"));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> WritablePathsHere(const std::vector<std::string>& paths,
                                                   const std::filesystem::path& data) {
  std::set<std::string> here;
  for (const std::string& path : paths) {
    MLPROF_LET(normal, CheckedWritablePath(path));
    const bool own = IsWithin(normal, "/tmp") || IsWithin(normal, kModelHome);
    if (!own) MLPROF_TRY(CheckHere(normal, data.string()));
    here.insert(std::move(normal));
  }
  return std::vector<std::string>(here.begin(), here.end());
}

}  // namespace mlprof::server::process
