// libtpu's metric service as a test scripts it, over real HTTP/2: as many calls as a client makes
// on a connection. Its messages are those of the published proto; what judges them is tpu-info
// (tests/integration/test_tpu.py).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mlprof::fakes {

/// Of one device. A queue's is told in a list of attributes, with the device as a text.
struct FakeMetricValue {
  std::int64_t device = 0;
  std::variant<std::int64_t, double> value = std::int64_t{0};
  bool in_list = false;
};

/// What it says, to all connections; outlives them. Thread-safe.
class FakeMetricService {
 public:
  /// Bytes that a client sent, as they come, and what goes back to it.
  using Connection = std::function<std::string(std::string_view heard)>;

  void Say(const std::string& metric, std::vector<FakeMetricValue> values);
  /// It does not have it: NOT_FOUND.
  void Forget(const std::string& metric);
  /// Every call ends so from now on; 0: as before.
  void FailWith(int grpc_status);
  /// How often a metric was asked for.
  int asked(const std::string& metric) const;

  Connection NewConnection();

  /// The answer to a call: grpc-status, and the message. For the connections.
  int Answer(const std::string& path, std::string_view request, std::string& message);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<FakeMetricValue>> metrics_;
  std::map<std::string, int> asked_;
  int failure_ = 0;
};

/// As one chip of `total` bytes with so many in use, and a duty cycle of so many percent.
void SayChip(FakeMetricService& service, std::int64_t used, std::int64_t total, double duty);

}  // namespace mlprof::fakes
