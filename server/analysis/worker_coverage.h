// Which processes of a model serve, which of them have had a row, and what one more would take:
// from censuses of its processes, one after another. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/agent_protocol/messages.h"
#include "common/units/bytes.h"

namespace mlprof::server {

/// The processes that take connections, by the socket that the rows are sent to: those that hold
/// it, but not an ancestor of another one that does. A master (gunicorn's, uvicorn's) opened it and
/// never accepts; a helper (Python's resource tracker) does not have it. Where descriptors cannot
/// be read: processes without children that run the same command line as a sibling.
std::vector<agent_protocol::ModelProcess> ServingProcesses(const agent_protocol::Processes& census);

struct WorkerCoverage {
  int count = 0;       // processes that serve
  int reached = 0;     // of them: have burned CPU for a row, or took the place of one that has gone
  int replaced = 0;    // serving processes that have gone since the first census
  bool risen = false;  // every one of them has burned CPU itself
  bool untold = false;  // there may be more of them than a census holds
  int bursts = 0;       // of rows in flight together that were sent to reach them
  std::optional<Bytes> per_worker_memory;  // median of what each has for itself alone

  bool complete() const { return reached >= count && !untold; }
  bool operator==(const WorkerCoverage&) const = default;
};

/// Watches CPU times over the censuses of one container.
class WorkerWatch {
 public:
  /// `row_seconds`: CPU time of a row; absent where it could not be measured.
  explicit WorkerWatch(std::optional<double> row_seconds) : row_seconds_(row_seconds) {}

  /// `rows`: answered since the first census.
  void See(const agent_protocol::Processes& census, std::int64_t rows);
  WorkerCoverage Coverage() const;

 private:
  using Process = agent_protocol::ModelProcess;
  using Identity = std::pair<std::int64_t, std::int64_t>;  // id and start
  struct Seen {
    Process first;
    std::chrono::nanoseconds at{0};
  };

  static Identity IdentityOf(const Process& process) {
    return {process.pid, process.started.count()};
  }
  double Risen(const Process& process) const;
  bool HasBurnedARow(const Process& process) const;
  const Process* ParentThatServes() const;

  const std::optional<double> row_seconds_;
  std::map<Identity, Seen> seen_;
  std::set<Identity> serving_;  // in any census
  std::set<Identity> first_;    // in the first
  agent_protocol::Processes last_;
  std::int64_t rows_ = 0;
};

}  // namespace mlprof::server
