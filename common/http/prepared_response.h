// A response made ready on a worker thread, so that the I/O thread need not wait for a disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/http/message.h"

namespace mlprof {

struct ServerCore;

/// An open file that closes itself.
class OpenFile {
 public:
  /// Null where it cannot be opened, is not a regular file or ends before the offset. Blocking.
  static std::shared_ptr<OpenFile> Open(const FileBody& body);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// The next bytes; "" at the end or on an error. Blocking.
  std::string Read();

 private:
  OpenFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;
};

/// A response whose file, if it has one, is open.
struct PreparedResponse {
  HttpResponse response;
  std::shared_ptr<OpenFile> file;
};

/// What `respond` gives, with its file open; a 500 where it throws or names a file that is not
/// there. Blocking; on a worker.
PreparedResponse PrepareResponse(const ServerCore& core, const HttpRequest& request,
                                 const std::function<HttpResponse()>& respond) noexcept;

}  // namespace mlprof
