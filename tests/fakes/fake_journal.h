// A journal and an announcer that keep what they are told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/profiling/progress/reporting.h"
#include "server/registry/artifact_store.h"

namespace mlprof::server {

class FakeJournal final : public Journal {
 public:
  void Save(const Profile& profile) override { saved.push_back(profile); }
  void FinishPhase(const Profile& profile, const std::string& phase, Timestamp,
                   const std::string& outcome) override {
    saved.push_back(profile);
    phases.emplace_back(phase, outcome);
  }
  void Add(const Trial& trial) override { trials.push_back(trial); }
  void Add(std::span<const Series> some) override {
    series.insert(series.end(), some.begin(), some.end());
  }
  void Add(std::span<const RowRecord> some) override { rows.assign(some.begin(), some.end()); }
  void Log(std::string_view text) override { log += text; }
  Status Keep(const NewArtifact& artifact) override {
    artifacts.push_back(artifact);
    return {};
  }

  std::vector<Profile> saved;
  std::vector<std::pair<std::string, std::string>> phases;  // with their outcomes
  std::vector<Trial> trials;
  std::vector<Series> series;  // a part for each container
  std::vector<RowRecord> rows;
  std::string log;
  std::vector<NewArtifact> artifacts;
};

class FakeAnnouncer final : public Announcer {
 public:
  void PhaseBegan(const Profile& profile) override { phases.push_back(profile.progress.phase); }
  void PhaseEnded(const std::string&, std::chrono::duration<double>) override {}
  void Progressed(const Progress& progress) override { said.push_back(progress.message); }
  void Replaying(const LiveReplay&, const std::optional<Sample>&) override {}
  void TrialDone(const Trial&) override {}
  void Logged(std::string_view) override {}

  std::vector<std::string> phases;
  std::vector<std::string> said;
};

}  // namespace mlprof::server
