#include "common/async/run_loop.h"

#include "common/log/log.h"

namespace mlprof {

void RunLoop(net::io_context& io, const char* name) noexcept {
  while (true) {
    try {
      io.run();
      return;
    } catch (...) {
      LogThrown("a callback failed", name);
    }
  }
}

}  // namespace mlprof
