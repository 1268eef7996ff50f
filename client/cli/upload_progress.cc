#include "client/cli/upload_progress.h"

#include <chrono>

#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kQuiet{1};
constexpr std::chrono::milliseconds kRedraw{200};

struct State {
  Clock::time_point started = Clock::now();
  Clock::time_point drawn;
  bool shown = false;
};

}  // namespace

std::function<void(Bytes, Bytes)> UploadProgress(const std::string& what,
                                                 Surroundings& surroundings) {
  auto state = std::make_shared<State>();
  return [state, what, &surroundings](Bytes sent, Bytes total) {
    const auto now = Clock::now();
    const bool last = sent >= total;
    if (now - state->started < kQuiet || (!last && now - state->drawn < kRedraw)) return;
    state->drawn = now;
    std::ostream& err = surroundings.err;
    const std::string size = Text(total);
    if (surroundings.err_is_terminal) {
      err << "\r\033[Kuploading " << Visible(what) << ": " << Text(sent) << " of " << size
          << (last ? "\n" : "") << std::flush;
    } else if (!state->shown) {
      err << "uploading " << Visible(what) << " (" << size << ")\n" << std::flush;
    }
    state->shown = true;
  };
}

}  // namespace mlprof::client::cli
