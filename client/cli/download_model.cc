#include "client/cli/download_model.h"

#include <spawn.h>
#include <sys/wait.h>

#include "client/include/mlprof/temporary_file.h"

extern char** environ;

namespace mlprof::client::cli {
namespace {

// tar refuses what would leave the folder; files that are there already are kept, and reported.
// Run by root it would restore every mode, and whoever packed the model chose those: a program that
// runs as its owner is not had by a download. The umask and no special bits hold for root too.
Status Unpack(const std::filesystem::path& tar, const std::filesystem::path& folder,
              bool overwrite) {
  std::vector<std::string> words = {
      "tar",        "-x", "--no-same-owner", "--no-same-permissions", "-f",
      tar.string(), "-C", folder.string()};
  words.push_back(overwrite ? "--overwrite" : "--keep-old-files");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "tar", nullptr, nullptr, arguments.data(), environ);
  if (error != 0) return Fail(FromErrno(error, "cannot run tar"));
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Fail(Conflict("the model was not unpacked to " + folder.string() +
                       (overwrite ? "" : " (--overwrite replaces files that are there)")));
}

}  // namespace

Status DownloadModel(Client& client, const std::string& id, const std::filesystem::path& folder,
                     bool overwrite) {
  MLPROF_LET(tar, TemporaryFile::Create());
  MLPROF_TRY(client.models().Download(id, tar.path()));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Fail(InvalidArgument("cannot create " + folder.string() + ": " + error.message()));
  }
  return Unpack(tar.path(), folder, overwrite);
}

}  // namespace mlprof::client::cli
