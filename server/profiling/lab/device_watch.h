// Reads the devices of one container again and again, ten times a second: nobody else keeps the
// peak of a device's memory. What the driver has sampled by itself is taken in place of what is
// read here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/result/result.h"
#include "common/time/monotonic_clock.h"
#include "server/analysis/device_use.h"
#include "server/devices/gpu/device_reader.h"

namespace mlprof::server {

using RunsInContainer = std::function<bool(const std::string& container_id, pid_t pid)>;

struct WatchedContainer {
  std::string container_id;
  std::vector<std::string> devices;
  std::function<void(const std::string& why)> device_lost;  // called from the watch's thread
};

class DeviceWatch {
 public:
  /// Reads once, before anything of the container's runs on a device; then on until it ends. All
  /// must outlive it.
  static Result<std::unique_ptr<DeviceWatch>> Begin(WatchedContainer container,
                                                    std::shared_ptr<devices::DeviceReader> reader,
                                                    RunsInContainer runs_in,
                                                    const MonotonicClock& clock);
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  /// Reads once more and gives all that was read. An error where the last reading failed. Once.
  Result<DeviceUse> End();

 private:
  struct Watched {
    std::string uuid;
    OneDeviceUse use;
    Bytes before;          // that it held when the watch began
    std::set<pid_t> pids;  // of the container's that were seen
    /// What the whole device gained, beside what use.memory says by processes: which of the two
    /// counts is settled at the end, so that one odd reading changes nothing.
    std::vector<SeriesPoint> gained;
    std::optional<Bytes> most_gained;
    int told = 0;    // readings in which processes of the container's held memory
    int untold = 0;  // in which processes did not tell it
    int untold_in_row = 0;
    bool stays_untold = false;
    std::map<devices::SampledFigure, std::chrono::microseconds> sampled_until;
    std::set<devices::SampledFigure> not_sampled;  // by the driver
  };

  DeviceWatch(WatchedContainer container, std::shared_ptr<devices::DeviceReader> reader,
              RunsInContainer runs_in, const MonotonicClock& clock);
  Status ReadAll();
  Status ReadOne(Watched& watched);
  void TakeMemory(const devices::DeviceReading& reading, std::chrono::nanoseconds at,
                  Watched& watched);
  std::optional<Bytes> OfProcesses(const devices::DeviceReading& reading, Watched& watched);
  void TakeFigures(const devices::DeviceReading& reading, std::chrono::nanoseconds at,
                   Watched& watched);
  void TakeSamples(Watched& watched);
  void TakeSamples(devices::SampledFigure figure, std::vector<SeriesPoint>& points,
                   Watched& watched);
  static void Settle(Watched& watched);
  void TakeAccountedPeak(Watched& watched);
  void Loop(const std::stop_token& stop);
  Status Failed(const devices::DeviceError& error);

  const WatchedContainer container_;
  const std::shared_ptr<devices::DeviceReader> reader_;
  const RunsInContainer runs_in_;
  const MonotonicClock& clock_;
  const std::chrono::microseconds began_;  // on the system's clock
  std::vector<Watched> watched_;
  bool lost_ = false;
  std::jthread thread_;
};

}  // namespace mlprof::server
