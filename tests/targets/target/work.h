// What one request costs and how it is answered: the words of its body, done in order.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/targets/target/cost.h"
#include "tests/targets/target/options.h"
#include "tests/targets/target/pool.h"

namespace target {

/// How a response is sent. All but kWhole are bad in one way each.
enum class Manner { kWhole, kGarbage, kNothing, kNever, kHalf, kChunks };

struct Outcome {
  int status = 200;
  std::string body;
  Manner manner = Manner::kWhole;
  std::chrono::milliseconds chunk_period{0};
  int chunks = 0;  // 0: for ever
};

/// What a serving process holds. Made after a fork: threads do not survive one.
class Model {
 public:
  explicit Model(const Options& options);

  /// Any number of threads at once.
  Outcome Respond(const std::string& request);

 private:
  bool Cost(std::string_view name, double amount, double second);
  void Cache(const std::string& request, double kib);
  bool Misbehave(std::string_view name, double amount, double second, Outcome& outcome);
  void Write(Outcome& outcome) const;

  const Options& options_;
  std::optional<Pool> pool_;
  MappedFile weights_;
  std::mutex mutex_;
  std::set<std::string> cached_;  // requests that were seen
};

bool Append(const std::string& path, std::string_view text);

}  // namespace target
