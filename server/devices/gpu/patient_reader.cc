#include "server/devices/gpu/patient_reader.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "common/os/start_thread.h"

namespace mlprof::server::devices {

// Outlives the reader while a call hangs. One thread asks one question at a time.
struct PatientReader::State {
  std::shared_ptr<DeviceReader> reader;
  std::mutex mutex;
  std::condition_variable_any changed;
  /// Waits to be asked. What it gives publishes the answer, with the mutex held.
  std::function<std::function<void()>(DeviceReader&)> question;
  bool busy = false;
  std::chrono::steady_clock::time_point begun;  // the question that it is busy with
  bool given_up = false;
  bool ended = false;
  bool has_thread = false;
};

namespace {

template <class State>
void Answer(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->ended || state->question; });
    if (state->ended) return;
    const auto question = std::exchange(state->question, nullptr);
    lock.unlock();
    const auto publish = question(*state->reader);
    lock.lock();
    publish();
    state->busy = false;
    state->changed.notify_all();
  }
}

}  // namespace

PatientReader::PatientReader(std::shared_ptr<DeviceReader> reader,
                             std::chrono::milliseconds longest)
    : state_(std::make_shared<State>()), longest_(longest) {
  state_->reader = std::move(reader);
}

PatientReader::~PatientReader() {
  const std::lock_guard lock(state_->mutex);
  state_->ended = true;
  state_->changed.notify_all();
}

void PatientReader::GiveUp() {
  const std::lock_guard lock(state_->mutex);
  state_->given_up = true;
  state_->changed.notify_all();
}

template <class T>
DeviceResult<T> PatientReader::Ask(std::function<DeviceResult<T>(DeviceReader&)> question) {
  const auto until = std::chrono::steady_clock::now() + longest_;
  const auto answer = std::make_shared<std::optional<DeviceResult<T>>>();
  std::unique_lock lock(state_->mutex);
  if (!state_->has_thread) {
    auto thread =
        StartThread("device reader", [state = state_](const std::stop_token&) { Answer(state); });
    if (!thread) return Fail(DeviceProblem::kFailed, thread.error().message());
    thread->detach();
    state_->has_thread = true;
  }
  // A call that has hung for so long already is not waited for again.
  while (state_->busy && !state_->given_up) {
    const auto begun = state_->begun;
    const bool moved = state_->changed.wait_until(lock, std::min(until, begun + longest_), [&] {
      return state_->given_up || !state_->busy || state_->begun != begun;
    });
    if (!moved) return Fail(DeviceProblem::kSilent);
  }
  if (state_->given_up) return Fail(DeviceProblem::kSilent);
  state_->busy = true;
  state_->begun = std::chrono::steady_clock::now();
  state_->question = [answer, question = std::move(question)](DeviceReader& reader) {
    return [answer, given = question(reader)] { *answer = given; };
  };
  state_->changed.notify_all();
  state_->changed.wait_until(lock, until, [&] { return state_->given_up || answer->has_value(); });
  if (!answer->has_value()) return Fail(DeviceProblem::kSilent);
  return **answer;
}

DeviceResult<std::vector<Device>> PatientReader::List() {
  return Ask<std::vector<Device>>([](DeviceReader& reader) { return reader.List(); });
}

DeviceResult<DeviceReading> PatientReader::Read(const std::string& uuid) {
  return Ask<DeviceReading>([uuid](DeviceReader& reader) { return reader.Read(uuid); });
}

DeviceResult<std::optional<std::vector<DriverSample>>> PatientReader::Samples(
    const std::string& uuid, SampledFigure figure, std::chrono::microseconds after) {
  return Ask<std::optional<std::vector<DriverSample>>>(
      [=](DeviceReader& reader) { return reader.Samples(uuid, figure, after); });
}

DeviceResult<std::optional<Bytes>> PatientReader::PeakOf(const std::string& uuid, pid_t pid) {
  return Ask<std::optional<Bytes>>([=](DeviceReader& reader) { return reader.PeakOf(uuid, pid); });
}

}  // namespace mlprof::server::devices
