// What one request costs and how it is answered: the words of its body, done in order.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/targets/target/cache.h"
#include "tests/targets/target/cost.h"
#include "tests/targets/target/heap.h"
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
  int chunks = 0;     // 0: for ever
  bool last = false;  // the connection ends after it, and the response says so
};

/// What a serving process holds. Made after a fork: threads do not survive one.
class Model {
 public:
  explicit Model(const Options& options);

  /// Any number of threads at once.
  Outcome Respond(const std::string& request);

 private:
  Outcome Work(const std::string& request);
  bool Cost(std::string_view name, double amount, double second);
  void FirstVisit(const std::string& request, double cpu_ms);
  bool InOrder(const std::string& request);
  bool Misbehave(std::string_view name, double amount, double second, Outcome& outcome);
  void Write(Outcome& outcome) const;
  void UseHeap(double mebibytes, Outcome& outcome);

  const Options& options_;
  std::optional<Pool> pool_;
  MappedFile weights_;
  InputCache cache_;
  std::optional<Heap> heap_;
  std::mutex mutex_;
  std::set<std::string> visited_;             // requests whose first visit was paid for
  std::map<std::string, Outcome> responses_;  // by request, of a response cache
  int last_row_ = 0;
  std::once_flag loaded_;  // at the first request
};

bool Append(const std::string& path, std::string_view text);

}  // namespace target
