// Counts the HTTP/1.1 requests that a connection has brought whole, bodies with a Content-Length
// included, and keeps nothing of them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mlprof::agent {

class RequestCounter {
 public:
  // The replay's own heads are far shorter; the bound keeps a stranger from filling the memory.
  static constexpr std::size_t kMaxHead = 64u << 10;

  /// How many requests ended within `bytes`; -1 for a head that is too large or a body whose length
  /// is not told, after which the connection is of no use.
  int Feed(std::string_view bytes);

 private:
  std::string head_;  // the part of one that has come so far
  std::size_t body_left_ = 0;
};

}  // namespace mlprof::agent
