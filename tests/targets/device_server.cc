// A target server (target_server.cc has its other options and bodies) that says it holds memory of
// a GPU, as a framework would that reads JAX's variables:
//
//   device_server --device-total-mib N --device-need-mib N [--device-context-mib N]
//                 OPTIONS…
//
// Unless XLA_PYTHON_CLIENT_PREALLOCATE is "false" it reserves XLA_PYTHON_CLIENT_MEM_FRACTION (0.75)
// of the total for its pool; if it is, as much as it needs, rounded up to a power of two, as pools
// that grow by doubling do, and never more than that fraction. A pool below the need ends it with
// the words of an allocation that failed. The context comes on top of the pool.
//
// It says so in /tmp/device.state, which tests/fakes/nvml_stub reads; no device is needed.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/targets/target/options.h"
#include "tests/targets/target/serve.h"

namespace {

constexpr double kUsualFraction = 0.75;
constexpr long long kMebibyte = 1 << 20;

struct Device {
  long long total = 0;  // bytes
  long long need = 0;
  long long context = 0;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

long long PoolOf(const Device& device) {
  const std::string fraction = Variable("XLA_PYTHON_CLIENT_MEM_FRACTION");
  const double share = fraction.empty() ? kUsualFraction : std::atof(fraction.c_str());
  const auto most = static_cast<long long>(share * static_cast<double>(device.total));
  if (Variable("XLA_PYTHON_CLIENT_PREALLOCATE") != "false") return most;
  long long grown = kMebibyte;
  while (grown < device.need) grown *= 2;
  return std::min(grown, most);
}

void Reserve(const Device& device) {
  const long long pool = PoolOf(device);
  if (pool < device.need) {
    std::fprintf(stderr, "RESOURCE_EXHAUSTED: Out of memory while trying to allocate %lld bytes\n",
                 device.need - pool);
    std::exit(1);
  }
  std::ofstream state("/tmp/device.state");
  state << "device = " << Variable("NVIDIA_VISIBLE_DEVICES")
        << "\nreserved = " << pool + device.context << "\nbusy = 40\nmemory_busy = 85\n";
}

// Its own options, taken out of the rest.
Device TakeOptions(std::vector<char*>& arguments) {
  Device device;
  const auto take = [&](std::string_view name, long long& field) {
    const auto at = std::find(arguments.begin(), arguments.end(), name);
    if (at == arguments.end() || at + 1 == arguments.end()) return;
    field = std::atoll(*(at + 1)) * kMebibyte;
    arguments.erase(at, at + 2);
  };
  take("--device-total-mib", device.total);
  take("--device-need-mib", device.need);
  take("--device-context-mib", device.context);
  return device;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const Device device = TakeOptions(arguments);
  const target::Options options =
      target::ParseOptions(static_cast<int>(arguments.size()), arguments.data());
  std::signal(SIGTERM, [](int) { _exit(0); });
  Reserve(device);
  target::AcceptForEver(target::Listen(options), options);
}
