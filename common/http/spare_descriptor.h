// One descriptor kept back. Where the process or the system has no other left, a client that waits
// to be accepted can still be told so, and does not wait for ever.
#pragma once

#include <string_view>

#include "common/os/unique_fd.h"

namespace mlprof {

/// One thread.
class SpareDescriptor {
 public:
  SpareDescriptor() { Keep(); }

  /// Accepts one client of the listening socket in place of the spare descriptor, writes `words` to
  /// it (as far as that goes without waiting) and ends the connection. False where even that
  /// failed: there is no spare, or it went to somebody else.
  bool TurnAway(int listening, std::string_view words);

 private:
  void Keep();

  UniqueFd spare_;
};

}  // namespace mlprof
