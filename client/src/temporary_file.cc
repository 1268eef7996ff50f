#include "client/include/mlprof/temporary_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace mlprof::client {

Result<TemporaryFile> TemporaryFile::Create() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return Fail(Unavailable("no folder for temporary files: " + error.message()));
  std::string path = (folder / "mlprof-XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return Fail(FromErrno(errno, "cannot create " + path));
  close(file);
  return TemporaryFile(path);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace mlprof::client
