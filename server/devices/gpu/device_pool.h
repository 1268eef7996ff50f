// The devices of this machine, each lent to one profile at a time. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "server/devices/gpu/assignment.h"
#include "server/devices/gpu/device_reader.h"

namespace mlprof::server::devices {

class DevicePool;

/// Devices that belong to one profile. They are given back when it is destroyed, whatever happens.
class DeviceLease {
 public:
  DeviceLease() = default;  // of none
  DeviceLease(DeviceLease&& other) noexcept { *this = std::move(other); }
  DeviceLease& operator=(DeviceLease&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(devices_, other.devices_);
    std::swap(skipped_, other.skipped_);
    std::swap(doubts_, other.doubts_);
    return *this;
  }
  ~DeviceLease();

  const std::vector<Device>& devices() const { return devices_; }
  /// Why others were passed over; "": none were.
  const std::string& skipped() const { return skipped_; }
  /// Of its devices that nobody can tell to be free: why; "": of all it is known.
  const std::string& doubts() const { return doubts_; }

 private:
  friend class DevicePool;
  DeviceLease(DevicePool& pool, Assignment given)
      : pool_(&pool),
        devices_(std::move(given.devices)),
        skipped_(std::move(given.why)),
        doubts_(std::move(given.doubts)) {}

  DevicePool* pool_ = nullptr;
  std::vector<Device> devices_;
  std::string skipped_;
  std::string doubts_;
};

/// Why there is no lease.
struct Refusal {
  bool wait = false;  // other profiles of ours have what is asked for
  std::string why;
  std::string remedy;
};

class DevicePool {
 public:
  /// Outlives its leases.
  explicit DevicePool(std::shared_ptr<DeviceReader> reader, PoolWords words = {})
      : reader_(std::move(reader)), words_(std::move(words)) {}

  /// `count` of them, free of others' processes. Asks the driver, and waits for nothing else.
  tl::expected<DeviceLease, Refusal> Take(int count);
  /// Whether there ever could be so many; asks the driver. Told before anything is queued.
  tl::expected<void, Refusal> CheckCount(int count);
  const std::shared_ptr<DeviceReader>& reader() const { return reader_; }
  /// That are lent now.
  std::size_t held() const;

 private:
  friend class DeviceLease;
  void GiveBack(const std::vector<Device>& devices);
  std::vector<Candidate> Look(const std::vector<Device>& devices);

  const std::shared_ptr<DeviceReader> reader_;
  const PoolWords words_;
  mutable std::mutex mutex_;
  std::set<std::string> held_;  // uuids
};

}  // namespace mlprof::server::devices
