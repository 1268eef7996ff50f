#include "server/registry/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace mlprof::server {

Result<std::unique_ptr<FileSource>> FileSource::Open(const std::filesystem::path& file) {
  FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return Fail(FromErrno(errno, "opening " + file.string()));
  return std::unique_ptr<FileSource>(new FileSource(std::move(fd)));
}

Result<std::size_t> FileSource::Read(std::span<char> buffer) {
  for (;;) {
    const ssize_t got = read(fd_.get(), buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return Fail(FromErrno(errno, "reading an upload"));
  }
}

Result<std::size_t> StoppableSource::Read(std::span<char> buffer) {
  if (stop_.stop_requested()) return Fail(Cancelled("reading an archive was stopped"));
  return inner_.Read(buffer);
}

Result<std::string> ReadWholeFile(const std::filesystem::path& file, Bytes most,
                                  const std::string& what) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return Fail(FromErrno(error.value(), "reading " + what));
  if (size > static_cast<std::uintmax_t>(most.count())) {
    return Fail(ErrorCode::kTooLarge,
                what + " may have " + std::to_string(most.count()) + " bytes at most");
  }
  MLPROF_LET(source, FileSource::Open(file));
  std::string text(size, '\0');
  if (text.empty()) return text;
  MLPROF_LET(got, ReadFully(*source, text));
  text.resize(got);
  return text;
}

Result<std::size_t> RecordingSource::Read(std::span<char> buffer) {
  const auto got = inner_.Read(buffer);
  if (!got || *got == 0) return got;
  const std::string_view bytes(buffer.data(), *got);
  sha_.Add(bytes);
  if (copy_ >= 0) MLPROF_TRY(WriteAll(copy_, bytes));
  return got;
}

}  // namespace mlprof::server
