#include "tests/fakes/nvml_stub/state.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>

namespace nvml_stub {
namespace {

constexpr int kDriverNotLoaded = 9;
constexpr std::chrono::milliseconds kKeptFor{50};

std::string Trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

unsigned long long NumberIn(const std::string& text) {
  return text.empty() ? 0 : std::strtoull(text.c_str(), nullptr, 10);
}

std::map<std::string, std::string> ReadPairs(const std::filesystem::path& path) {
  std::map<std::string, std::string> pairs;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find('=');
    if (equals != std::string::npos) {
      pairs[Trimmed(line.substr(0, equals))] = Trimmed(line.substr(equals + 1));
    }
  }
  return pairs;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

void AddTo(Device& device, const std::string& key, unsigned long long more,
           unsigned long long most) {
  device.values[key] = std::to_string(std::min(device.Number(key) + more, most));
}

// What a process of that name says it holds of this device.
void Hold(Device& device, const std::filesystem::path& process, const std::string& file) {
  auto said = ReadPairs(process / "root" / file.substr(1));
  const std::string& uuid = device.Text("uuid");
  // As many devices as a container has, joined by commas.
  if (said["device"].find(uuid) == std::string::npos) return;
  constexpr unsigned long long kPercent = 100;
  device.processes.push_back({static_cast<unsigned>(NumberIn(process.filename().string())),
                              NumberIn(said["reserved"]), NumberIn(said["peak"])});
  AddTo(device, "memory_used", NumberIn(said["reserved"]), device.Number("memory_total"));
  AddTo(device, "busy", NumberIn(said["busy"]), kPercent);
  AddTo(device, "memory_busy", NumberIn(said["memory_busy"]), kPercent);
}

void Follow(Device& device, const std::string& name, const std::string& file) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    if (!IsNumber(entry.path().filename().string())) continue;
    std::ifstream comm(entry.path() / "comm");
    std::string said;
    std::getline(comm, said);
    if (said == name) Hold(device, entry.path(), file);
  }
}

void Set(Device& device, const std::string& key, const std::string& value) {
  std::istringstream words(value);
  if (key == "missing") {
    for (std::string name; words >> name;) device.missing.insert(name);
  } else if (key == "process") {
    Process process;
    words >> process.pid >> process.memory >> process.peak;
    device.processes.push_back(process);
  } else if (key == "follow") {
    std::string name;
    std::string file;
    words >> name >> file;
    Follow(device, name, file);
  } else {
    device.values[key] = value;
  }
}

State ReadAnew(const std::string& path);

// What was read of a file that is still the same. Processes are looked for anew after a moment: the
// library asks a dozen times for one reading, and all processes of the host are looked through.
struct Kept {
  std::filesystem::file_time_type written;
  std::chrono::steady_clock::time_point read;
  State state;
};

State Read(const std::string& path) {
  static std::mutex mutex;
  static std::optional<Kept> kept;
  const std::lock_guard lock(mutex);
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  const auto now = std::chrono::steady_clock::now();
  const bool fresh = kept && !error && kept->written == written && now - kept->read < kKeptFor;
  if (!fresh) kept = Kept{written, now, ReadAnew(path)};
  return kept->state;
}

}  // namespace

const std::string& Device::Text(const std::string& key) const {
  static const std::string none;
  const auto found = values.find(key);
  return found == values.end() ? none : found->second;
}

unsigned long long Device::Number(const std::string& key) const { return NumberIn(Text(key)); }

State ReadState() {
  const char* path = std::getenv("MLPROF_NVML_STUB");
  return Read(path != nullptr ? path : "");
}

namespace {

State ReadAnew(const std::string& path) {
  State state;
  std::ifstream file(path);
  if (!file) {
    state.init = kDriverNotLoaded;
    return state;
  }
  Device* device = nullptr;
  for (std::string line; std::getline(file, line);) {
    line = Trimmed(line.substr(0, line.find('#')));
    const auto equals = line.find('=');
    if (line == "[device]") {
      device = &state.devices.emplace_back();
    } else if (line == "[part]" && !state.devices.empty()) {
      device = &state.devices.back().parts.emplace_back();
    } else if (equals != std::string::npos) {
      const std::string key = Trimmed(line.substr(0, equals));
      const std::string value = Trimmed(line.substr(equals + 1));
      if (device != nullptr) Set(*device, key, value);
      if (key == "init") state.init = static_cast<int>(NumberIn(value));
      if (key == "driver") state.driver = value;
    }
  }
  return state;
}

}  // namespace

}  // namespace nvml_stub
