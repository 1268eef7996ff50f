// Reads the figures of one container's TPU chips again and again, from the metric service of the
// libtpu within it: nobody else has them, and libtpu keeps no peak.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/result/result.h"
#include "common/time/monotonic_clock.h"
#include "server/analysis/device_use.h"
#include "server/devices/gpu/device_reader.h"
#include "server/devices/tpu/metric_client.h"
#include "server/profiling/lab/device_watch.h"

namespace mlprof::server {

struct TpuWatchTimes {
  std::chrono::milliseconds pause{250};  // between two readings: what lasts shorter may be missed
  std::chrono::milliseconds patience{500};    // with one answer
  std::chrono::milliseconds chip_look{2000};  // how often the bus is looked at
  /// What has answered before may be silent for so long while the model lives: a server that
  /// replaces its process.
  std::chrono::milliseconds silence{20000};
};

struct WatchedTpus {
  std::string container_id;
  std::vector<std::string> chips;                           // uuids
  std::function<void(const std::string& why)> device_lost;  // both called from the watch's thread
  std::function<void(const std::string& why)> metrics_lost;
  std::function<bool()> model_lives;
};

class TpuWatch {
 public:
  /// All that it is given must outlive it; `reader` tells of the chips.
  static Result<std::unique_ptr<TpuWatch>> Begin(WatchedTpus container, tpu::MetricClient client,
                                                 std::shared_ptr<devices::DeviceReader> reader,
                                                 RunsInContainer runs_in,
                                                 const MonotonicClock& clock,
                                                 const TpuWatchTimes& times = {});
  ~TpuWatch();
  TpuWatch(const TpuWatch&) = delete;
  TpuWatch& operator=(const TpuWatch&) = delete;

  /// All that was read; of what was not, why, under `missing` of each chip. Once.
  DeviceUse End();

 private:
  using Points = std::vector<SeriesPoint> OneDeviceUse::*;
  struct Figure {
    std::string_view metric;
    const char* name;  // in `missing`
    Points points;
    double scale;
    bool summed;  // over the cores of a chip
  };
  static const std::vector<Figure>& Figures();

  TpuWatch(WatchedTpus container, tpu::MetricClient client,
           std::shared_ptr<devices::DeviceReader> reader, RunsInContainer runs_in,
           const MonotonicClock& clock, const TpuWatchTimes& times);
  void Loop(const std::stop_token& stop);
  void ReadAll(const std::stop_token& stop);
  Status ReadMemory();
  void ReadFigure(const Figure& figure);
  void LookAtChips();
  void NoteSilence(const Error& why);
  void Miss(const char* figure, const std::string& why);
  std::string WhyNoMemory() const;
  Deadline Soon() const { return Deadline::After(times_.patience); }

  const WatchedTpus container_;
  tpu::MetricClient client_;
  const std::shared_ptr<devices::DeviceReader> reader_;
  const RunsInContainer runs_in_;
  const MonotonicClock& clock_;
  const TpuWatchTimes times_;
  DeviceUse use_;
  std::set<std::string_view> not_told_;  // metrics that this libtpu does not have
  bool total_read_ = false;
  bool answered_ = false;  // ever
  bool over_ = false;
  bool opened_ = false;  // a chip, by a process of the container
  bool hidden_ = false;  // whether they have it could not be seen
  bool held_ = false;    // by one of them at the last look
  std::optional<Error> last_failure_;
  std::optional<std::chrono::steady_clock::time_point> silent_since_;
  std::jthread thread_;
};

}  // namespace mlprof::server
