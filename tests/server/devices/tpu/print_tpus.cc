// print-tpus [PORT]: the TPU chips of this machine and what a metric service on a port of loopback
// tells of them, as JSON, for a test that holds it against tpu-info.
#include <array>
#include <cstdlib>
#include <iostream>

#include "common/http/client_socket.h"
#include "common/json/json.h"
#include "server/devices/tpu/chip_figures.h"
#include "server/devices/tpu/launch.h"
#include "server/devices/tpu/metric_client.h"
#include "server/devices/tpu/tpu_reader.h"

namespace {

using namespace mlprof;                   // NOLINT(google-build-using-namespace)
using namespace mlprof::server;           // NOLINT(google-build-using-namespace)
using namespace mlprof::server::devices;  // NOLINT(google-build-using-namespace)

class SocketStream final : public PortStream {
 public:
  explicit SocketStream(ClientSocket socket) : socket_(std::move(socket)) {}
  Result<std::string> Read(Deadline deadline) override {
    std::string piece(4096, '\0');
    while (true) {
      MLPROF_LET(count, socket_.Read(piece.data(), piece.size()));
      if (count) return piece.substr(0, *count);
      MLPROF_TRY(socket_.Wait(false, deadline));
    }
  }
  Status Write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const auto taken = socket_.Write(bytes);
      if (!taken) return Fail(Unavailable("the peer takes no more"));
      bytes.remove_prefix(*taken);
      if (!bytes.empty()) MLPROF_TRY(socket_.Wait(true, deadline));
    }
    return {};
  }
  void CloseWrite() override {}
  void Close() override {}

 private:
  ClientSocket socket_;
};

}  // namespace

int main(int argc, char** argv) {
  server::tpu::TpuReader reader;
  const auto chips = reader.List();
  if (!chips) {
    std::cout << Json{{"what", chips.error().what}, {"remedy", chips.error().remedy}}.dump()
              << "\n";
    return 1;
  }
  Json all = {{"chips", Json::array()}, {"metrics", Json::object()}, {"missing", Json::object()}};
  for (const Device& chip : *chips) {
    all["chips"].push_back({{"uuid", chip.uuid},
                            {"name", chip.name},
                            {"files", chip.files},
                            {"memory", chip.memory->count()}});
  }
  const auto port =
      static_cast<unsigned short>(argc > 1 ? std::atoi(argv[1]) : server::tpu::kMetricsPort);
  server::tpu::MetricClient client([&](Deadline deadline) -> Result<std::unique_ptr<PortStream>> {
    MLPROF_LET(socket, ClientSocket::Connect(TcpEndpoint{"127.0.0.1", port}, deadline, {}));
    return std::make_unique<SocketStream>(std::move(socket));
  });
  namespace names = server::tpu::metrics;
  for (const auto metric : {names::kMemoryUsage, names::kMemoryTotal, names::kDutyCycle,
                            names::kBandwidth, names::kIdle, names::kQueue}) {
    const auto values = client.Get(metric, Deadline::After(std::chrono::seconds(5)));
    if (!values) {
      all["missing"][std::string(metric)] = values.error().message();
      continue;
    }
    Json list = Json::array();
    for (const auto& value : *values) list.push_back({value.device, value.value});
    all["metrics"][std::string(metric)] = std::move(list);
  }
  std::cout << all.dump() << "\n";
  return 0;
}
