#include "server/profiling/phases/prepare.h"

namespace mlprof::server::phases {
namespace {

constexpr std::chrono::minutes kPrepareDeadline{30};
constexpr std::size_t kLogBatch = 2048;

// Gathers the output, which comes in small pieces, into fewer records.
class OutputBatch {
 public:
  OutputBatch(Journal& journal, Announcer& announcer) : journal_(journal), announcer_(announcer) {}
  void Add(std::string_view text) {
    text_ += text;
    if (text_.size() >= kLogBatch || text_.ends_with('\n')) Flush();
  }
  void Flush() {
    if (text_.empty()) return;
    journal_.Log(text_);
    announcer_.Logged(text_);
    text_.clear();
  }

 private:
  Journal& journal_;
  Announcer& announcer_;
  std::string text_;
};

ProfileError PrepareError(const Error& error, const Runtime& runtime) {
  return {"PrepareFailed",
          error.message(),
          {"the whole output is in the profile's log: mlprof profile logs", runtime.words().check},
          ""};
}

}  // namespace

PhaseResult<PreparedImage> Prepare(Runtime& runtime, const PrepareRequest& request,
                                   Journal& journal, Announcer& announcer, RunStop& run_stop) {
  OutputBatch output(journal, announcer);
  auto image = runtime.Prepare(
      request, [&](std::string_view text) { output.Add(text); }, run_stop.token(),
      Deadline::After(kPrepareDeadline));
  output.Flush();
  if (image) return *std::move(image);
  if (run_stop.token().stop_requested()) return Canceled();
  const Error& error = image.error();
  if (error.code() == ErrorCode::kUnavailable) {
    run_stop.Ask(StopReason::kEngine, error.message());
    return Canceled();
  }
  if (error.code() == ErrorCode::kResourceExhausted) {
    run_stop.Ask(StopReason::kRoom, error.message());
    return Canceled();
  }
  return FailRun(PrepareError(error, runtime));
}

}  // namespace mlprof::server::phases
