#include "client/cli/watch/progress_view.h"

#include <algorithm>
#include <cmath>

#include "client/cli/output/text.h"
#include "client/cli/watch/live_figures.h"

namespace mlprof::client::cli {
namespace {

class LineProgress : public ProgressView {
 public:
  explicit LineProgress(std::ostream& err) : err_(err) {}

  void Show(const ProfileUpdate& update) override {
    if (!figures_.Take(update, std::chrono::steady_clock::now())) return;
    Say(figures_.phase + (figures_.message.empty() ? "" : ": " + figures_.message));
  }
  void Tick() override {}
  void Say(const std::string& text) override { err_ << Visible(text) << "\n" << std::flush; }
  void Pause(bool) override {}
  void Finish() override {}

 private:
  std::ostream& err_;
  LiveFigures figures_;
};

}  // namespace

std::unique_ptr<ProgressView> LineView(std::ostream& err) {
  return std::make_unique<LineProgress>(err);
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestBar = 20;
constexpr std::size_t kShortestBar = 4;
constexpr std::chrono::milliseconds kBetweenDraws{100};

// As long as the text leaves room for, and left out rather than the figures on a narrow terminal.
std::string Bar(double fraction, std::size_t room) {
  if (room < kShortestBar + 3) return "";
  const std::size_t width = std::min(kLongestBar, room - 3);
  const auto full = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(width)));
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "] ";
}

class TerminalProgress : public ProgressView {
 public:
  TerminalProgress(std::ostream& err, int columns)
      : err_(err), columns_(static_cast<std::size_t>(columns)) {}

  void Show(const ProfileUpdate& update) override {
    const bool new_phase = figures_.Take(update, Clock::now());
    if (const std::string log = LogText(update); !log.empty()) Above(log);
    if (new_phase || Clock::now() - drawn_ >= kBetweenDraws) Draw();
  }
  void Tick() override { Draw(); }
  void Say(const std::string& text) override {
    Above(text);
    Draw();
  }
  void Pause(bool paused) override {
    paused_ = paused;
    if (paused) Clear();
  }
  void Finish() override { Clear(); }

 private:
  void Above(const std::string& text) {
    if (paused_) return;
    Clear();
    const std::string visible = VisibleLines(text);
    err_ << visible << (visible.ends_with('\n') ? "" : "\n");
  }
  void Clear() { err_ << "\r\033[K" << std::flush; }
  void Draw() {
    if (paused_) return;
    drawn_ = Clock::now();
    std::string line = Figure(figures_.fraction * 100, 2) + "% " + figures_.phase;
    if (figures_.expected_end) {
      const std::chrono::duration<double> left = *figures_.expected_end - Clock::now();
      line += ", " + Duration(std::max(0.0, std::round(left.count()))) + " left";
    }
    const std::string live = figures_.Live();
    line += live.empty() ? ": " + figures_.message : ": " + live;
    line = Visible(line);
    const std::size_t most = columns_ - 1;
    const std::size_t room = most - std::min(most, Width(line));
    err_ << "\r\033[K" << Bar(figures_.fraction, room) << Shortened(line, most) << std::flush;
  }

  std::ostream& err_;
  std::size_t columns_;
  LiveFigures figures_;
  Clock::time_point drawn_;
  bool paused_ = false;
};

}  // namespace

std::unique_ptr<ProgressView> TerminalView(std::ostream& err, int columns) {
  return std::make_unique<TerminalProgress>(err, columns);
}

}  // namespace mlprof::client::cli
