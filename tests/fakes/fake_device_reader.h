// Devices in memory, as a driver would tell of them: what a test says is there is there.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/devices/gpu/device_reader.h"

namespace mlprof::server::devices {

class FakeDeviceReader final : public DeviceReader {
 public:
  struct Entry {
    Device device;
    DeviceReading reading = {};
    std::map<SampledFigure, std::vector<DriverSample>> samples = {};
    std::map<pid_t, Bytes> peaks = {};
    bool lost = false;
    std::optional<DeviceProblem> unreadable = {};
    int odd_readings = 0;  // so many that come next do not tell the memory of processes
  };

  /// A device of 16 GiB that nobody uses.
  static Entry AnIdle(const std::string& uuid) {
    Entry entry{{uuid, "00000000:3B:00.0", "Imitated GPU", GiB(16)}};
    entry.reading.memory_total = GiB(16);
    entry.reading.memory_used = Bytes();
    entry.reading.busy = 0.0;
    entry.reading.memory_busy = 0.0;
    entry.reading.watts = 25.0;
    entry.reading.processes.emplace();
    return entry;
  }

  explicit FakeDeviceReader(const std::vector<std::string>& uuids = {}) {
    for (const std::string& uuid : uuids) entries_.push_back(AnIdle(uuid));
  }

  /// Changes one while others may read.
  template <class Change>
  void Adjust(const std::string& uuid, Change change) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.device.uuid == uuid) change(entry);
    }
  }
  void Lose(const std::string& uuid) {
    Adjust(uuid, [](Entry& entry) { entry.lost = true; });
  }
  /// Every call fails so.
  void FailWith(DeviceProblem problem) {
    const std::lock_guard lock(mutex_);
    failure_ = problem;
  }

  /// Until every device was read `times` times more.
  void AwaitReads(int times) {
    std::unique_lock lock(mutex_);
    const int until = reads_ + times * static_cast<int>(entries_.size());
    read_.wait(lock, [&] { return reads_ >= until; });
  }

  DeviceResult<std::vector<Device>> List() override {
    const std::lock_guard lock(mutex_);
    if (failure_) return Fail(*failure_);
    if (entries_.empty()) return Fail(DeviceProblem::kNoDevice);
    std::vector<Device> all;
    for (const Entry& entry : entries_) all.push_back(entry.device);
    return all;
  }
  DeviceResult<DeviceReading> Read(const std::string& uuid) override {
    return OfOne<DeviceReading>(uuid, [this](Entry& entry) {
      ++reads_;
      read_.notify_all();
      DeviceReading reading = entry.reading;
      if (entry.odd_readings == 0) return reading;
      --entry.odd_readings;
      for (DeviceProcess& process : *reading.processes) process.memory.reset();
      return reading;
    });
  }
  DeviceResult<std::optional<std::vector<DriverSample>>> Samples(
      const std::string& uuid, SampledFigure figure, std::chrono::microseconds after) override {
    using Samples = std::optional<std::vector<DriverSample>>;
    return OfOne<Samples>(uuid, [&](const Entry& entry) -> Samples {
      const auto kept = entry.samples.find(figure);
      if (kept == entry.samples.end()) return std::nullopt;
      std::vector<DriverSample> newer = kept->second;
      std::erase_if(newer, [&](const DriverSample& sample) { return sample.at <= after; });
      return newer;
    });
  }
  DeviceResult<std::optional<Bytes>> PeakOf(const std::string& uuid, pid_t pid) override {
    return OfOne<std::optional<Bytes>>(uuid, [&](const Entry& entry) -> std::optional<Bytes> {
      const auto peak = entry.peaks.find(pid);
      return peak == entry.peaks.end() ? std::nullopt : std::optional(peak->second);
    });
  }

 private:
  template <class T, class Give>
  DeviceResult<T> OfOne(const std::string& uuid, Give give) {
    const std::lock_guard lock(mutex_);
    if (failure_) return Fail(*failure_);
    for (Entry& entry : entries_) {
      if (entry.device.uuid != uuid) continue;
      if (entry.unreadable) return Fail(*entry.unreadable, uuid);
      if (entry.lost) return Fail(DeviceProblem::kLost, uuid);
      return give(entry);
    }
    return Fail(DeviceProblem::kUnknownDevice, uuid);
  }

  std::mutex mutex_;
  std::condition_variable read_;
  int reads_ = 0;
  std::vector<Entry> entries_;
  std::optional<DeviceProblem> failure_;
};

}  // namespace mlprof::server::devices
