#include "common/http/prepared_response.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "common/http/server_core.h"
#include "common/log/log.h"

namespace mlprof {
namespace {

constexpr std::size_t kFilePiece = 256 << 10;

PreparedResponse Failed(const ServerCore& core, const HttpRequest& request, const char* event,
                        const std::string& error) {
  LogError(event, {{"method", request.method}, {"path", request.path}, {"error", error}});
  return {core.Refusal(500, "an internal error; the log has more", request), nullptr};
}

PreparedResponse Prepare(const ServerCore& core, const HttpRequest& request,
                         const std::function<HttpResponse()>& respond) {
  PreparedResponse prepared;
  try {
    prepared.response = respond();
  } catch (const std::exception& error) {
    return Failed(core, request, "a request handler failed", error.what());
  } catch (...) {
    return Failed(core, request, "a request handler failed", "an exception of unknown type");
  }
  const int status = prepared.response.status;
  if (status < 200 || status > 599) {
    return Failed(core, request, "a request handler gave no status", std::to_string(status));
  }
  const auto* stream = std::get_if<std::shared_ptr<BodyStream>>(&prepared.response.body);
  if (stream && !*stream) return Failed(core, request, "a request handler gave no stream", "");
  if (const auto* body = std::get_if<FileBody>(&prepared.response.body)) {
    prepared.file = OpenFile::Open(*body);
    if (!prepared.file) {
      return Failed(core, request, "the file to answer with is not there", body->file.string());
    }
  }
  return prepared;
}

}  // namespace

std::shared_ptr<OpenFile> OpenFile::Open(const FileBody& body) {
  const int descriptor = ::open(body.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return nullptr;
  struct stat status = {};
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (!regular || body.offset > size ||
      ::lseek(descriptor, static_cast<off_t>(body.offset), SEEK_SET) < 0) {
    ::close(descriptor);
    return nullptr;
  }
  const std::uint64_t rest = size - body.offset;
  return std::shared_ptr<OpenFile>(
      new OpenFile(descriptor, std::min(body.length.value_or(rest), rest)));
}

OpenFile::~OpenFile() { ::close(descriptor_); }

std::string OpenFile::Read() {
  std::string piece(kFilePiece, '\0');
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, piece.data(), piece.size());
  } while (count < 0 && errno == EINTR);
  piece.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return piece;
}

PreparedResponse PrepareResponse(const ServerCore& core, const HttpRequest& request,
                                 const std::function<HttpResponse()>& respond) noexcept {
  try {
    return Prepare(core, request, respond);
  } catch (...) {
    LogThrown("a refusal could not be made", "http");
  }
  PreparedResponse bare;  // needs no memory
  bare.response.status = 500;
  return bare;
}

}  // namespace mlprof
