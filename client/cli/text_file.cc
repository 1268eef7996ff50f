#include "client/cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

namespace mlprof::client::cli {

Result<std::string> ReadTextFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in.is_open() || in.bad() || std::filesystem::is_directory(file)) {
    return Fail(InvalidArgument("cannot read " + file.string()));
  }
  return std::move(text).str();
}

Status WriteTextFile(const std::filesystem::path& file, std::string_view text, bool is_private) {
  const std::string part = file.string() + ".part";
  const int fd =
      open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, is_private ? 0600 : 0644);
  if (fd < 0) return Fail(FromErrno(errno, "cannot write " + part));
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    written += static_cast<std::size_t>(count);
  }
  const int write_errno = errno;
  close(fd);
  if (written < text.size()) return Fail(FromErrno(write_errno, "cannot write " + part));
  if (rename(part.c_str(), file.c_str()) != 0) {
    return Fail(FromErrno(errno, "cannot write " + file.string()));
  }
  return {};
}

}  // namespace mlprof::client::cli
