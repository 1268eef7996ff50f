// What the imitated library says, read from a file of "key = value" lines anew with every call, so
// that a test changes it while somebody reads.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nvml_stub {

struct Process {
  unsigned pid = 0;
  unsigned long long memory = 0;
  unsigned long long peak = 0;  // 0: not accounted
};

/// Of a device: numbers by key ("memory_total", "busy"…), as the file has them.
struct Device {
  std::map<std::string, std::string> values;
  std::set<std::string> missing;  // calls that are not supported
  std::vector<Process> processes;
  std::vector<Device> parts;

  const std::string& Text(const std::string& key) const;
  unsigned long long Number(const std::string& key) const;
};

struct State {
  int init = 0;  // what beginning gives
  std::string driver;
  std::vector<Device> devices;
};

/// Of the file that MLPROF_NVML_STUB names; without one the driver is not loaded.
///
/// A section begins with [device] or, of a split one, [part]. Within: `missing = power energy`,
/// `process = PID BYTES [PEAK]`, and `follow = COMM FILE`: every process of the host with that name
/// holds what FILE within its own root says, where that names this device: `device`, `reserved`,
/// `peak`, `busy`, `memory_busy`.
State ReadState();

}  // namespace nvml_stub
