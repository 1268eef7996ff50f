// Which row a process of the model died of where the model itself goes on, as a server with several
// workers does. Nobody says which process had a row, but the word of a death comes soon after the
// row's connection broke: with one row at a time in flight, the next one waits for it. Pure state:
// it is told the time and what happens.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "server/replay/replay_plan.h"

namespace mlprof::server {

class KillWatch {
 public:
  using Time = std::chrono::nanoseconds;  // since any fixed moment

  /// A replay begins: what was open in the one before is forgotten.
  void Begin();
  void RowSent() { deaths_before_ = deaths_; }
  void RowResponded(const RequestRecord& request, Time now);
  /// A process of the model died, or was killed for memory.
  void ProcessDied(Time now);
  /// Ends the waiting if its time has come.
  void Pass(Time now);

  /// Before then no row should leave, and the replay should not end; nullopt: nothing is awaited.
  std::optional<Time> held_until() const { return held_until_; }
  /// The row that a process died of. No row should leave any more.
  std::optional<std::uint32_t> killer() const { return convicted_ ? suspect_ : std::nullopt; }

 private:
  void Convict(Time now);

  int deaths_ = 0;
  int deaths_before_ = 0;  // when the last row left
  std::optional<std::uint32_t> suspect_;
  bool convicted_ = false;
  std::optional<Time> held_until_;
  std::set<std::uint32_t> cleared_;  // rows whose connection broke without a death
};

}  // namespace mlprof::server
