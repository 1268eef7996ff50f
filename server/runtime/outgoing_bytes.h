// What waits to be written to a non-blocking stream socket. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>

namespace mlprof::server {

class OutgoingBytes {
 public:
  /// To append to.
  std::string& tail() { return bytes_; }
  std::size_t size() const { return bytes_.size() - written_; }
  bool empty() const { return size() == 0; }

  /// Writes as much as `fd` takes without waiting. On a broken socket everything counts as written:
  /// its end is told after what the peer had already said has been read.
  void WriteTo(int fd);
  void Clear();

 private:
  std::string bytes_;
  std::size_t written_ = 0;
};

}  // namespace mlprof::server
