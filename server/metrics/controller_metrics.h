// Every metric of the controller, made at start in one place. Labels take few values each (no ids,
// no names a user chose, no error texts). Names are mlprof_<area>_<what>_<unit>. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/domain/profile.h"
#include "common/units/bytes.h"

namespace mlprof::server {

class ControllerMetrics {
 public:
  explicit ControllerMetrics(const std::string& version);
  ~ControllerMetrics();
  ControllerMetrics(const ControllerMetrics&) = delete;
  ControllerMetrics& operator=(const ControllerMetrics&) = delete;

  void SetQueueLength(std::int64_t profiles);
  void SetRunningProfiles(std::int64_t profiles);
  /// `state` is the final one.
  void ProfileFinished(ProfileState state);
  /// `phase` is one of the fixed names of the story.
  void PhaseFinished(std::string_view phase, double seconds);
  void RowsReplayed(std::int64_t successes, std::int64_t failures);
  /// `route` is the router's pattern, "" where none matched.
  void HttpServed(std::string_view route, std::string_view method, int status, double seconds);
  /// `reason` is a fixed name ("idle").
  void ConnectionTurnedAway(std::string_view reason);
  /// `kind` is a fixed name ("images").
  void SetStoredBytes(std::string_view kind, Bytes size);
  void DatabaseWritten(std::chrono::nanoseconds time);
  /// `operation` is a fixed name ("create"), `outcome` "ok" or the name of an ErrorCode.
  void DockerCalled(std::string_view operation, std::string_view outcome, double seconds);

  /// The text exposition format 0.0.4.
  std::string Text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace mlprof::server
