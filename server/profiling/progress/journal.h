// What a run writes down as it goes on, for those who read it later. An interface: a test needs no
// database. Used by the thread that runs the profile.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/domain/profile.h"
#include "common/domain/series.h"
#include "common/domain/trial.h"
#include "common/result/result.h"

namespace mlprof::server {

struct NewArtifact;

class Journal {
 public:
  virtual ~Journal() = default;

  /// The profile as it stands.
  virtual void Save(const Profile& profile) = 0;
  /// Likewise, with one of its phases behind it. Every phase ends with a committed record.
  virtual void FinishPhase(const Profile& profile, const std::string& phase, Timestamp began,
                           const std::string& outcome) = 0;
  virtual void Add(const Trial& trial) = 0;
  /// Of a container that is done; times count from the beginning of the run.
  virtual void Add(std::span<const Series> all) = 0;
  virtual void Add(std::span<const RowRecord> rows) = 0;
  virtual void Log(std::string_view text) = 0;
  /// Attaches a file to the profile (server/registry/artifact_store.h). One that cannot be kept
  /// ends no run: it proves nothing of the answer. Whoever needs it looks at the status.
  virtual Status Keep(const NewArtifact& artifact) = 0;
};

}  // namespace mlprof::server
