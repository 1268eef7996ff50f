#include "server/profiling/lab/device_watch.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/os/start_thread.h"

namespace mlprof::server {
namespace {

using devices::DeviceProblem;
using devices::DeviceReading;
using devices::SampledFigure;

// What lasts shorter than this may be missed.
constexpr std::chrono::milliseconds kReadPause{100};
// So many readings in a row that do not tell memory by processes are no oddity any more: a second.
constexpr int kStaysUntold = 10;
// The driver keeps its own samples for longer than that.
constexpr std::chrono::seconds kSamplesPause{5};

std::chrono::microseconds SystemNow() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

void Append(std::vector<SeriesPoint>& points, std::chrono::nanoseconds at,
            const std::optional<double>& value) {
  if (value) points.push_back({at, *value});
}

std::optional<double> AsNumber(const std::optional<int>& value) {
  return value ? std::optional<double>(*value) : std::nullopt;
}

}  // namespace

DeviceWatch::DeviceWatch(WatchedContainer container, std::shared_ptr<devices::DeviceReader> reader,
                         RunsInContainer runs_in, const MonotonicClock& clock)
    : container_(std::move(container)),
      reader_(std::move(reader)),
      runs_in_(std::move(runs_in)),
      clock_(clock),
      began_(SystemNow()) {
  for (const std::string& uuid : container_.devices) watched_.emplace_back().uuid = uuid;
}

Result<std::unique_ptr<DeviceWatch>> DeviceWatch::Begin(
    WatchedContainer container, std::shared_ptr<devices::DeviceReader> reader,
    RunsInContainer runs_in, const MonotonicClock& clock) {
  std::unique_ptr<DeviceWatch> watch(
      new DeviceWatch(std::move(container), std::move(reader), std::move(runs_in), clock));
  for (Watched& watched : watch->watched_) {
    const auto reading = watch->reader_->Read(watched.uuid);
    if (!reading) return tl::unexpected(watch->Failed(reading.error()).error());
    watched.before = reading->memory_used.value_or(Bytes());
    watch->TakeSamples(watched);  // tells which figures the driver samples by itself
  }
  MLPROF_TRY(watch->ReadAll());
  auto thread = StartThread("device watch",
                            [own = watch.get()](const std::stop_token& stop) { own->Loop(stop); });
  if (!thread) return Fail(thread.error());
  watch->thread_ = std::move(*thread);
  return watch;
}

DeviceWatch::~DeviceWatch() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

Status DeviceWatch::Failed(const devices::DeviceError& error) {
  if (error.problem == DeviceProblem::kLost && !std::exchange(lost_, true)) {
    container_.device_lost(error.what);
  }
  return Fail(devices::AsError(error));
}

void DeviceWatch::Loop(const std::stop_token& stop) {
  std::condition_variable_any pause;
  auto next_samples = std::chrono::steady_clock::now() + kSamplesPause;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested() && !lost_) {
    // A failure that passes leaves a gap; one that lasts is told at the end.
    static_cast<void>(ReadAll());
    if (std::chrono::steady_clock::now() >= next_samples) {
      for (Watched& watched : watched_) TakeSamples(watched);
      next_samples += kSamplesPause;
    }
    pause.wait_for(lock, stop, kReadPause, [] { return false; });
  }
}

Status DeviceWatch::ReadAll() {
  for (Watched& watched : watched_) MLPROF_TRY(ReadOne(watched));
  return {};
}

Status DeviceWatch::ReadOne(Watched& watched) {
  const auto reading = reader_->Read(watched.uuid);
  if (!reading) return Failed(reading.error());
  const auto at = clock_.Now();
  watched.use.total = reading->memory_total;
  watched.use.missing = reading->missing;
  TakeMemory(*reading, at, watched);
  TakeFigures(*reading, at, watched);
  return {};
}

// nullopt where processes do not tell it.
std::optional<Bytes> DeviceWatch::OfProcesses(const DeviceReading& reading, Watched& watched) {
  if (!reading.processes) return std::nullopt;
  Bytes held;
  bool any = false;
  for (const devices::DeviceProcess& process : *reading.processes) {
    if (!runs_in_(container_.container_id, process.pid)) continue;
    any = true;
    watched.pids.insert(process.pid);
    if (!process.memory) return std::nullopt;
    held = held + *process.memory;
  }
  const Bytes used = reading.memory_used.value_or(Bytes());
  // A list without the container's processes, on a device that fills: they are not to be seen,
  // unless they were before, and have ended.
  if (!any && used > watched.before && watched.pids.empty()) return std::nullopt;
  return held;
}

void DeviceWatch::TakeMemory(const DeviceReading& reading, std::chrono::nanoseconds at,
                             Watched& watched) {
  if (reading.memory_used) {
    const Bytes gained = std::max(Bytes(), *reading.memory_used - watched.before);
    watched.gained.push_back({at, static_cast<double>(gained.count())});
    watched.most_gained = std::max(watched.most_gained, std::optional(gained));
  }
  const auto held = OfProcesses(reading, watched);
  if (!held) {
    ++watched.untold;
    watched.stays_untold = ++watched.untold_in_row >= kStaysUntold || watched.stays_untold;
    return;
  }
  watched.untold_in_row = 0;
  if (*held > Bytes()) ++watched.told;
  watched.use.memory.push_back({at, static_cast<double>(held->count())});
  watched.use.peak = std::max(watched.use.peak, held);
}

void DeviceWatch::TakeFigures(const DeviceReading& reading, std::chrono::nanoseconds at,
                              Watched& watched) {
  OneDeviceUse& use = watched.use;
  const auto read_here = [&](SampledFigure figure) { return watched.not_sampled.contains(figure); };
  if (read_here(SampledFigure::kBusy)) Append(use.busy, at, reading.busy);
  if (read_here(SampledFigure::kMemoryBusy)) Append(use.memory_busy, at, reading.memory_busy);
  if (read_here(SampledFigure::kPower)) Append(use.watts, at, reading.watts);
  Append(use.sm_mhz, at, AsNumber(reading.sm_mhz));
  if (!reading.throttled_by) return;
  use.throttled.push_back({at, reading.throttled_by->empty() ? 0.0 : 1.0});
  use.throttled_by.insert(reading.throttled_by->begin(), reading.throttled_by->end());
}

void DeviceWatch::TakeSamples(Watched& watched) {
  TakeSamples(SampledFigure::kBusy, watched.use.busy, watched);
  TakeSamples(SampledFigure::kMemoryBusy, watched.use.memory_busy, watched);
  TakeSamples(SampledFigure::kPower, watched.use.watts, watched);
}

void DeviceWatch::TakeSamples(SampledFigure figure, std::vector<SeriesPoint>& points,
                              Watched& watched) {
  if (watched.not_sampled.contains(figure)) return;
  auto& until = watched.sampled_until.try_emplace(figure, began_).first->second;
  const auto samples = reader_->Samples(watched.uuid, figure, until);
  if (!samples) return;
  if (!*samples) {
    watched.not_sampled.insert(figure);
    return;
  }
  const auto ahead = clock_.Now() - std::chrono::nanoseconds(SystemNow());
  for (const devices::DriverSample& sample : **samples) {
    points.push_back({ahead + std::chrono::nanoseconds(sample.at), sample.value});
    until = std::max(until, sample.at);
  }
}

// By processes, unless they did not tell it: for a while on end, or more often than they did.
void DeviceWatch::Settle(Watched& watched) {
  const bool untold = watched.stays_untold || watched.untold > watched.told;
  if (!untold || !watched.most_gained) return;
  watched.use.memory = std::move(watched.gained);
  watched.use.peak = watched.most_gained;
  watched.use.peak_from = DeviceMemoryFrom::kWholeDevice;
}

// Of one process the driver's peak is its own; those of several need not have met.
void DeviceWatch::TakeAccountedPeak(Watched& watched) {
  const bool whole_device = watched.use.peak_from == DeviceMemoryFrom::kWholeDevice;
  if (watched.pids.size() != 1 || whole_device) return;
  const auto peak = reader_->PeakOf(watched.uuid, *watched.pids.begin());
  if (!peak || !*peak) return;
  watched.use.peak = std::max(watched.use.peak, *peak);
  watched.use.peak_from = DeviceMemoryFrom::kAccounting;
}

Result<DeviceUse> DeviceWatch::End() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  const Status last = ReadAll();
  DeviceUse use;
  for (Watched& watched : watched_) {
    TakeSamples(watched);
    Settle(watched);
    TakeAccountedPeak(watched);
    use.devices.push_back(std::move(watched.use));
  }
  MLPROF_TRY(last);
  return use;
}

}  // namespace mlprof::server
