#include "client/cli/output/text.h"
#include "client/cli/watch/live_figures.h"
#include "client/cli/watch/progress_view.h"

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

}  // namespace mlprof::client::cli
