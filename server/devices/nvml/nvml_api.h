// The few functions and structs of NVIDIA's management library that are used, declared here so that
// nothing of NVIDIA's is needed to build. Layouts and numbers are the library's stable ABI, of
// which tests/integration/test_devices.py holds each against another reader's.
#pragma once

namespace mlprof::server::nvml {

using Code = int;
inline constexpr Code kSuccess = 0;
inline constexpr Code kUninitialized = 1;
inline constexpr Code kNotSupported = 3;
inline constexpr Code kNoPermission = 4;
inline constexpr Code kNotFound = 6;
inline constexpr Code kInsufficientSize = 7;
inline constexpr Code kDriverNotLoaded = 9;
inline constexpr Code kTimeout = 10;
inline constexpr Code kLibraryNotFound = 12;
inline constexpr Code kFunctionNotFound = 13;
inline constexpr Code kGpuIsLost = 15;
inline constexpr Code kResetRequired = 16;
inline constexpr Code kVersionMismatch = 18;
inline constexpr Code kGpuNotFound = 28;

struct DeviceHandle;
using Handle = DeviceHandle*;

inline constexpr unsigned kTextSize = 96;
inline constexpr unsigned kSmClock = 1;
inline constexpr unsigned kMemoryClock = 2;
inline constexpr unsigned kGpuSensor = 0;
inline constexpr unsigned long long kNotAvailable = ~0ULL;

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // what the driver reserves for itself is in it
};

struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
inline constexpr unsigned kMemoryV2Version = sizeof(MemoryV2) | 2U << 24;

struct Utilization {
  unsigned gpu;     // percent
  unsigned memory;  // percent
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

union Value {
  double real;
  unsigned number;
  unsigned long wide;
  unsigned long long big;
};

struct Sample {
  unsigned long long at;  // microseconds since 1970
  Value value;
};
inline constexpr unsigned kPowerSamples = 0;
inline constexpr unsigned kGpuSamples = 1;
inline constexpr unsigned kMemorySamples = 2;
enum ValueType : int { kDouble = 0, kUnsigned = 1, kUnsignedLong = 2, kUnsignedLongLong = 3 };

struct AccountingStats {
  unsigned gpu_share;
  unsigned memory_share;
  unsigned long long most_memory;
  unsigned long long time;
  unsigned long long start;
  unsigned running;
  unsigned reserved[5];
};

}  // namespace mlprof::server::nvml
