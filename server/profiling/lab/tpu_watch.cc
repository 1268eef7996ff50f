#include "server/profiling/lab/tpu_watch.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/os/start_thread.h"
#include "server/devices/tpu/chip_figures.h"
#include "server/devices/tpu/launch.h"

namespace mlprof::server {
namespace {

namespace metrics = tpu::metrics;
using Clock = std::chrono::steady_clock;

constexpr double kPercent = 0.01;

}  // namespace

const std::vector<TpuWatch::Figure>& TpuWatch::Figures() {
  static const std::vector<Figure> kFigures = {
      {metrics::kDutyCycle, "dutyCycle", &OneDeviceUse::busy, kPercent, false},
      {metrics::kBandwidth, "memoryBandwidth", &OneDeviceUse::memory_busy, kPercent, false},
      {metrics::kIdle, "idle", &OneDeviceUse::idle_seconds, 1, false},
      {metrics::kQueue, "queue", &OneDeviceUse::queued, 1, true}};
  return kFigures;
}

TpuWatch::TpuWatch(WatchedTpus container, tpu::MetricClient client,
                   std::shared_ptr<devices::DeviceReader> reader, RunsInContainer runs_in,
                   const MonotonicClock& clock, const TpuWatchTimes& times)
    : container_(std::move(container)),
      client_(std::move(client)),
      reader_(std::move(reader)),
      runs_in_(std::move(runs_in)),
      clock_(clock),
      times_(times) {
  use_.kind = DeviceKind::kTpu;
  use_.source = "libtpu";
  use_.devices.resize(container_.chips.size());
  for (OneDeviceUse& device : use_.devices) device.peak_from = DeviceMemoryFrom::kRuntime;
}

Result<std::unique_ptr<TpuWatch>> TpuWatch::Begin(WatchedTpus container, tpu::MetricClient client,
                                                  std::shared_ptr<devices::DeviceReader> reader,
                                                  RunsInContainer runs_in,
                                                  const MonotonicClock& clock,
                                                  const TpuWatchTimes& times) {
  std::unique_ptr<TpuWatch> watch(new TpuWatch(std::move(container), std::move(client),
                                               std::move(reader), std::move(runs_in), clock,
                                               times));
  auto thread = StartThread("TPU watch",
                            [own = watch.get()](const std::stop_token& stop) { own->Loop(stop); });
  if (!thread) return Fail(thread.error());
  watch->thread_ = std::move(*thread);
  return watch;
}

TpuWatch::~TpuWatch() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void TpuWatch::Loop(const std::stop_token& stop) {
  std::condition_variable_any pause;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  auto next_look = Clock::now();
  while (!stop.stop_requested() && !over_) {
    if (Clock::now() >= next_look) {
      LookAtChips();
      next_look = Clock::now() + times_.chip_look;
    }
    if (!over_) ReadAll(stop);
    pause.wait_for(lock, stop, times_.pause, [] { return false; });
  }
}

void TpuWatch::ReadAll(const std::stop_token& stop) {
  const Status read = ReadMemory();
  if (!read) return NoteSilence(read.error());
  answered_ = true;
  silent_since_.reset();
  for (const Figure& figure : Figures()) {
    if (stop.stop_requested()) return;
    if (!not_told_.contains(figure.metric)) ReadFigure(figure);
  }
}

// A service that answers and has no memory to tell is none that is silent.
Status TpuWatch::ReadMemory() {
  if (not_told_.contains(metrics::kMemoryUsage)) return {};
  auto values = client_.Get(metrics::kMemoryUsage, Soon());
  if (!values && values.error().code() == ErrorCode::kNotFound) {
    not_told_.insert(metrics::kMemoryUsage);
    Miss("memory", values.error().message());
    return {};
  }
  if (!values) return Fail(values.error());
  const auto used = tpu::SumByChip(*values, use_.devices.size());
  if (!used) {
    // Nothing is on a chip before the program has taken it.
    if (!values->empty()) Miss("memory", used.error().message());
    return {};
  }
  const auto at = clock_.Now();
  for (std::size_t i = 0; i < used->size(); ++i) {
    OneDeviceUse& device = use_.devices[i];
    device.missing.erase("memory");
    device.memory.push_back({at, (*used)[i]});
    device.peak =
        std::max(device.peak, std::optional(Bytes(static_cast<std::int64_t>((*used)[i]))));
  }
  if (total_read_) return {};
  const auto total = client_.Get(metrics::kMemoryTotal, Soon());
  if (!total) return {};
  const auto totals = tpu::SumByChip(*total, use_.devices.size());
  if (!totals) return {};
  for (std::size_t i = 0; i < totals->size(); ++i) {
    use_.devices[i].total = Bytes(static_cast<std::int64_t>((*totals)[i]));
  }
  total_read_ = true;
  return {};
}

void TpuWatch::ReadFigure(const Figure& figure) {
  const auto values = client_.Get(figure.metric, Soon());
  if (!values) {
    if (values.error().code() != ErrorCode::kNotFound) return;  // a gap
    not_told_.insert(figure.metric);
    return Miss(figure.name, values.error().message());
  }
  if (values->empty()) return;
  const auto shared = figure.summed ? tpu::SumByChip(*values, use_.devices.size())
                                    : tpu::MeanByChip(*values, use_.devices.size());
  if (!shared) return Miss(figure.name, shared.error().message());
  const auto at = clock_.Now();
  for (std::size_t i = 0; i < shared->size(); ++i) {
    (use_.devices[i].*figure.points).push_back({at, (*shared)[i] * figure.scale});
  }
}

void TpuWatch::LookAtChips() {
  bool held = false;
  for (const std::string& chip : container_.chips) {
    const auto reading = reader_->Read(chip);
    if (!reading) {
      if (reading.error().problem != devices::DeviceProblem::kLost) continue;
      over_ = true;
      return container_.device_lost(reading.error().what);
    }
    hidden_ = hidden_ || !reading->processes;
    if (!reading->processes) continue;
    held = held || std::ranges::any_of(*reading->processes, [&](const auto& process) {
             return runs_in_(container_.container_id, process.pid);
           });
  }
  held_ = held;
  opened_ = opened_ || held;
}

void TpuWatch::NoteSilence(const Error& why) {
  last_failure_ = why;
  if (!answered_) return;
  // One that is slow has few cores; a worker that is replaced takes its service with it, and the
  // next one loads for as long as it takes. Nothing was lost.
  if (why.code() == ErrorCode::kDeadlineExceeded || (opened_ && !held_)) {
    silent_since_.reset();
    return;
  }
  if (!silent_since_) silent_since_ = Clock::now();
  if (Clock::now() - *silent_since_ < times_.silence || !container_.model_lives()) return;
  over_ = true;
  container_.metrics_lost(
      "libtpu's metric service told of the TPU and does so no more, although "
      "the model still runs (" +
      why.message() + ")");
}

void TpuWatch::Miss(const char* figure, const std::string& why) {
  for (OneDeviceUse& device : use_.devices) device.missing.emplace(figure, why);
}

std::string TpuWatch::WhyNoMemory() const {
  const std::string port = std::to_string(tpu::kMetricsPort);
  const std::string failed = last_failure_ ? " (" + last_failure_->message() + ")" : "";
  const std::string silent = "libtpu's metric service did not answer on port " + port + failed;
  if (opened_) {
    return silent +
           ", although a process of the model has the chip: its libtpu is older than the "
           "service, or has another port";
  }
  if (hidden_) {
    return silent + ", and whether a process of the model has the chip open only root can see";
  }
  return silent +
         ", and no process of the model was seen with the chip open: see in its log "
         "whether it runs on the TPU, and that it may open /dev/accel* or /dev/vfio/*";
}

DeviceUse TpuWatch::End() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  if (!over_) {
    LookAtChips();
    const Status read = ReadMemory();
    answered_ = answered_ || read;
    if (!read) last_failure_ = read.error();
  }
  if (!use_.Peak()) Miss("memory", answered_ ? "it told of no memory" : WhyNoMemory());
  return std::move(use_);
}

}  // namespace mlprof::server
