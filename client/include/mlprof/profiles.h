// The profiles of a workspace, and what they are asked and answer. A name means the newest run of
// that name; an id any run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/domain/artifact.h"
#include "common/domain/no_answer.h"
#include "common/domain/objective.h"
#include "common/domain/profile.h"
#include "common/domain/recommendation.h"
#include "common/domain/series.h"
#include "common/domain/trial.h"
#include "common/result/result.h"
#include "mlprof/resource.h"

namespace mlprof::client {

class Connection;

struct ProfileListFilter {
  std::string state;
  std::string model_id;
};

/// One server-sent event; `data` is JSON text.
struct ProfileEvent {
  std::int64_t id = 0;
  std::string type;  // phase, progress, sample, trial, log, done
  std::string data;
};
/// False ends the stream. Called from another thread while Events() waits.
using EventHandler = std::function<bool(const ProfileEvent& event)>;

/// Asks what would be recommended under another objective, worked out of what a profile has
/// measured.
struct WhatIf {
  std::optional<Objective> objective;   // the whole of it; absent: the profile's own
  std::optional<double> memory_margin;  // share on top of the need; absent: the profile's own
  std::optional<int> workers = {};      // processes that serve; absent: as many as it saw
};

struct WhatIfRecommendation {
  std::optional<Recommendation> recommendation;
  std::optional<NoAnswer> no_answer;  // where there is no recommendation
  bool within_measured = false;       // false: an extrapolation
  std::vector<std::string> notes;     // sentences
};

class Profiles {
 public:
  explicit Profiles(Connection& connection) : connection_(connection) {}

  Result<Resource<Profile>> Create(const ProfileRequest& request);
  Result<Resource<Profile>> Get(const std::string& name);
  Result<ResourceList<Profile>> List(const ProfileListFilter& filter);
  Result<Resource<Profile>> Cancel(const std::string& name);
  /// The same question once more, as the newest run of its name. `when_quiet`: not before other
  /// work leaves the host quiet, for an hour at most, even if the question did not ask for that.
  /// kConflict while it is unfinished.
  Result<Resource<Profile>> Rerun(const std::string& name, bool when_quiet);
  /// Tags every model of the profile with its recommendation.
  Result<Resource<Profile>> Apply(const std::string& name);
  /// Nothing is run for it. kConflict where the profile has no recommendation.
  Result<Resource<WhatIfRecommendation>> AnswerWhatIf(const std::string& name,
                                                      const WhatIf& question);
  Status Delete(const std::string& name);

  Result<ResourceList<Trial>> Trials(const std::string& name);
  Result<ResourceList<RowRecord>> Rows(const std::string& name);
  Result<std::string> Logs(const std::string& name);
  /// JSON text: the profile as `az ml model profile` prints it; its errorLogsUri is a path on the
  /// server. kNotFound also of a server from before it gave them.
  Result<std::string> AzureDocument(const std::string& name);
  /// Newest first.
  Result<ResourceList<Artifact>> Artifacts(const std::string& name);
  /// Writes the bytes of one of them to `file`.
  Status DownloadArtifact(const std::string& name, const std::string& id,
                          const std::filesystem::path& file);
  /// What was read of the model's containers over time, by name; times since startedTime. A server
  /// from before it told them leaves units and sources empty.
  Result<std::vector<Series>> Samples(const std::string& name, int max_points);
  /// One connection's worth of events after `last_id` (0: from the start); ok when the server or
  /// the handler ended it.
  Status Events(const std::string& name, std::int64_t last_id, const EventHandler& handler,
                std::stop_token stop);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
