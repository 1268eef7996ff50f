// The journal of a profile in the database.
#pragma once

#include <string>

#include "common/result/result.h"
#include "server/profiling/budget/run_end.h"
#include "server/profiling/progress/oversight.h"
#include "server/profiling/progress/reporting.h"
#include "server/storage/profile_repository.h"

namespace mlprof::server {

class ArtifactStore;

class StoredJournal final : public Journal {
 public:
  /// Of a profile that is stored with `state`. All must outlive it.
  StoredJournal(std::string profile_id, ProfileState state, ProfileRepository& repository,
                ArtifactStore& artifacts, RunStop& run_stop, RunOversight* oversight = nullptr)
      : profile_id_(std::move(profile_id)),
        repository_(repository),
        artifacts_(artifacts),
        run_stop_(run_stop),
        oversight_(oversight),
        stored_state_(state) {}

  void Save(const Profile& profile) override;
  void FinishPhase(const Profile& profile, const std::string& phase, Timestamp began,
                   const std::string& outcome) override;
  void Add(const Trial& trial) override;
  void Add(std::span<const Series> all) override;
  void Add(std::span<const RowRecord> rows) override;
  void Log(std::string_view text) override;
  Status Keep(const NewArtifact& artifact) override;

  /// The first write that failed (a full disk…). It has asked the run to stop, and nothing was
  /// written since: an answer must not be stored without what proves it.
  const Status& status() const { return status_; }
  /// The state the repository holds now.
  ProfileState stored_state() const { return stored_state_; }

 private:
  template <class Work>
  void Write(const Work& work);

  const std::string profile_id_;
  ProfileRepository& repository_;
  ArtifactStore& artifacts_;
  RunStop& run_stop_;
  RunOversight* oversight_;
  Status status_;
  ProfileState stored_state_;
};

}  // namespace mlprof::server
