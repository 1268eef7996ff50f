// A model on a GPU, as frameworks that read JAX's variables take its memory: most of it at the
// start, unless they are told to grow, and never more than a fraction. Imitated runtime, imitated
// device.
#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "server/profiling/lab/device_instrument.h"
#include "tests/fakes/fake_device_reader.h"
#include "tests/fakes/fake_runtime.h"

namespace mlprof::server {

class FakeGpuModel {
 public:
  Bytes need = MiB(3000);    // of its pool
  Bytes grown = GiB(4);      // the pool that grows by doubling, where it may
  Bytes context = MiB(400);  // beside the pool
  double busy = 0.4;         // shares of the time while it is there
  double memory_busy = 0.85;
  std::atomic<Bytes> reserved = Bytes();  // its pool, of the newest process
  bool ignores_growth = false;
  bool ignores_fraction = false;
  bool holds_each_cap_once = false;
  std::function<bool(double share)> cap_fails;  // of something else than memory

  std::shared_ptr<devices::FakeDeviceReader> reader =
      std::make_shared<devices::FakeDeviceReader>(std::vector<std::string>{"GPU-1"});

  /// `this` must outlive the model.
  FakeModel OnThis(FakeModel model = {}) {
    model.begins = [this](const std::map<std::string, std::string>& environment) {
      return Take(environment);
    };
    return model;
  }

  /// The process that holds memory belongs to the container that sees it first.
  InstrumentKind Instrument() {
    return DeviceInstrument::Kind(reader, [this](const std::string& container_id, pid_t pid) {
      const std::lock_guard lock(mutex_);
      return owner_.try_emplace(pid, container_id).first->second == container_id;
    });
  }

 private:
  bool Take(const std::map<std::string, std::string>& environment) {
    const auto said = [&](const char* name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::string() : found->second;
    };
    const std::string fraction = said("XLA_PYTHON_CLIENT_MEM_FRACTION");
    const double share = fraction.empty() || ignores_fraction ? 0.75 : std::atof(fraction.c_str());
    const Bytes most(static_cast<std::int64_t>(share * static_cast<double>(GiB(16).count())));
    if (!fraction.empty() && cap_fails && cap_fails(std::atof(fraction.c_str()))) return false;
    if (!fraction.empty() && holds_each_cap_once && !caps_.insert(fraction).second) return false;
    const bool grows = said("XLA_PYTHON_CLIENT_PREALLOCATE") == "false" && !ignores_growth;
    const Bytes pool = grows ? std::min(grown, most) : most;
    if (pool < need) return false;
    reserved = pool;
    reader->Adjust("GPU-1", [&](devices::FakeDeviceReader::Entry& entry) {
      entry.reading.processes = {{++last_pid_, pool + context}};
      entry.reading.memory_used = pool + context;
      entry.reading.busy = busy;
      entry.reading.memory_busy = memory_busy;
    });
    return true;
  }

  std::mutex mutex_;
  std::map<pid_t, std::string> owner_;
  pid_t last_pid_ = 1000;
  std::set<std::string> caps_;
};

}  // namespace mlprof::server
