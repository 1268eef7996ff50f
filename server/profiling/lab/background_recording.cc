#include "server/profiling/lab/background_recording.h"

#include <utility>

#include "common/os/start_thread.h"

namespace mlprof::server {

Result<std::unique_ptr<BackgroundRecording>> BackgroundRecording::Begin(
    profiler::TraceSource& source, profiler::Recording recording) {
  std::unique_ptr<BackgroundRecording> begun(new BackgroundRecording());
  BackgroundRecording& self = *begun;
  auto thread =
      StartThread("device trace", [&source, &self, recording](const std::stop_token& stop) mutable {
        recording.stop = stop;
        auto trace = Caught([&] { return source.Record(recording); });
        const std::lock_guard lock(self.mutex_);
        self.trace_ = std::move(trace);
        self.changed_.notify_all();
      });
  if (!thread) return Fail(thread.error());
  self.thread_ = *std::move(thread);
  return begun;
}

bool BackgroundRecording::AwaitOver(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return trace_.has_value(); });
}

Result<SpooledBody> BackgroundRecording::Take() {
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  if (!trace_) return Fail(Internal("the recording ended without a word"));
  return *std::exchange(trace_, std::nullopt);
}

}  // namespace mlprof::server
