#include "server/app/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kShortest = 32;

Error Wrong(const std::filesystem::path& file, const std::string& what) {
  return InvalidArgument("the token file " + file.string() + " " + what);
}

bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }

}  // namespace

Result<std::string> ReadTokenFile(const std::filesystem::path& file) {
  const FileDescriptor in(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!in || fstat(in.get(), &status) != 0) {
    return Fail(Wrong(file, FromErrno(errno, "cannot be read").message()));
  }
  if (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0) {
    return Fail(Wrong(file, "must be readable by its owner alone: chmod 600"));
  }
  std::array<char, 1024> text{};
  const ssize_t size = read(in.get(), text.data(), text.size());
  std::string token(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (token.ends_with('\n')) token.pop_back();
  if (token.size() < kShortest || token.size() >= text.size() ||
      !std::all_of(token.begin(), token.end(), IsVisible)) {
    return Fail(Wrong(file, "must hold one line of 32 to 1000 visible characters"));
  }
  return token;
}

}  // namespace mlprof::server
