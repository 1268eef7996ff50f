// How a running profile is shown on stderr: on a terminal, and where there is none. One thread.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "client/include/mlprof/follow.h"

namespace mlprof::client::cli {

class ProgressView {
 public:
  virtual ~ProgressView() = default;
  virtual void Show(const ProfileUpdate& update) = 0;
  /// Redraws what depends on the time alone.
  virtual void Tick() = 0;
  /// Puts `text` on a line of its own.
  virtual void Say(const std::string& text) = 0;
  /// Nothing is drawn while a question stands on the terminal.
  virtual void Pause(bool paused) = 0;
  /// Leaves the terminal clean.
  virtual void Finish() = 0;
};

/// A bar with phase, time left and a live line; output of installations goes above it.
std::unique_ptr<ProgressView> TerminalView(std::ostream& err, int columns);
/// A line per phase.
std::unique_ptr<ProgressView> LineView(std::ostream& err);

}  // namespace mlprof::client::cli
