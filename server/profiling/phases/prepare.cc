#include "server/profiling/phases/prepare.h"

#include "server/profiling/phases/shares.h"

namespace mlprof::phases {
namespace {

constexpr std::chrono::minutes kPrepareDeadline{30};
constexpr std::size_t kLogBatch = 2048;

// Gathers the output, which comes in small pieces, into fewer records.
class OutputBatch {
 public:
  explicit OutputBatch(RunRecorder& recorder) : recorder_(recorder) {}
  void Add(std::string_view text) {
    text_ += text;
    if (text_.size() >= kLogBatch || text_.ends_with('\n')) Flush();
  }
  void Flush() {
    if (text_.empty()) return;
    recorder_.Log(text_);
    text_.clear();
  }

 private:
  RunRecorder& recorder_;
  std::string text_;
};

ProfileError PrepareError(const Error& error) {
  return {"PrepareFailed",
          error.message(),
          {"the whole output is in the profile's log: mlprof profile logs",
           "`mlprof doctor` checks the engine and the base image"},
          ""};
}

}  // namespace

PhaseResult<void> Prepare(RunContext& context) {
  context.recorder.EnterPhase(kPrepare, "preparing the image");
  OutputBatch output(context.recorder);
  auto image = context.runtime.Prepare(
      {context.config(), context.source_directory},
      [&](std::string_view text) { output.Add(text); }, context.stop,
      Deadline::After(kPrepareDeadline));
  output.Flush();
  if (!image) {
    if (context.stop.stop_requested()) return Canceled();
    if (image.error().code() == ErrorCode::kResourceExhausted) {
      context.run_stop.Ask(StopReason::kRoom, image.error().message());
      return Canceled();
    }
    return FailRun(PrepareError(image.error()));
  }
  context.image = std::move(*image);
  for (const Warning& warning : context.image.warnings) context.recorder.Warn(warning);
  context.recorder.FinishPhase("done");
  return {};
}

}  // namespace mlprof::phases
