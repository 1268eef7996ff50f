// Runs command lines against a FakeServer, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "client/cli/cli.h"
#include "common/domain/profile.h"
#include "common/json/domain_json.h"
#include "tests/client/fake_transport.h"
#include "tests/client/temporary_folder.h"
#include "tests/fakes/some_measurements.h"

namespace mlprof::client::cli {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

class CliTest : public testing::Test {
 protected:
  CliTest() {
    environment_["MLPROF_SERVER"] = "http://fake";
    environment_["HOME"] = folder_.path().string();
  }

  Outcome Run(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::Run(
        arguments,
        Surroundings{.out = out,
                     .err = err,
                     .out_is_terminal = on_terminal_,
                     .can_ask = can_ask_,
                     .confirms = [this] { return ++times_asked_, confirms_; },
                     .columns = 60,
                     .environment = [this](const std::string& name) -> std::optional<std::string> {
                       const auto found = environment_.find(name);
                       if (found == environment_.end()) return std::nullopt;
                       return found->second;
                     },
                     .connect = [this](const std::string& url, const std::string& token,
                                       const std::string& ca_file)
                         -> Result<std::unique_ptr<RestTransport>> {
                       connected_to_ = url;
                       token_ = token;
                       ca_file_ = ca_file;
                       const bool is_tls = url.starts_with("https://");
                       return std::make_unique<FakeTransport>(is_tls ? tls_server_ : server_);
                     },
                     .program_folder = folder_.path() / "bin",
                     .follow = follow_});
    return {status, out.str(), err.str()};
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> environment_;
  std::shared_ptr<FakeServer> server_ = std::make_shared<FakeServer>();
  std::shared_ptr<FakeServer> tls_server_ = std::make_shared<FakeServer>();  // at https:// URLs
  std::string connected_to_;
  std::string token_;
  std::string ca_file_;
  bool on_terminal_ = false;  // stdout; of 60 columns
  bool can_ask_ = false;      // a person sits there, and answers:
  bool confirms_ = false;
  int times_asked_ = 0;
  FollowOptions follow_;
};

inline Timestamp SomeTime() { return *ParseTimestamp("2026-01-02T03:04:05.678Z"); }

inline Model SomeModel(int version = 1) {
  Model model;
  model.name = "sentiment";
  model.version = version;
  model.id = "sentiment:" + std::to_string(version);
  model.tags = {{"team", "nlp"}};
  model.size = MiB(3);
  model.sha256 = std::string(64, 'a');
  model.created = SomeTime();
  return model;
}

inline Dataset SomeDataset() {
  Dataset dataset;
  dataset.name = "requests";
  dataset.version = 1;
  dataset.id = "requests:1";
  dataset.row_count = 120;
  dataset.distinct_row_count = 118;
  dataset.size = KiB(40);
  dataset.created = SomeTime();
  return dataset;
}

inline Recommendation SomeAnswer(bool verified) {
  Recommendation answer;
  answer.requested = {Cores(0.4), MiB(512)};
  answer.verified = verified;
  answer.tight = true;
  answer.confidence = Confidence::kHigh;
  answer.Set({Cores(0.3), Cores(0.5), "each request takes 12 ms of CPU", Confidence::kHigh});
  answer.Set({MiB(448), MiB(608), "the peak was 430 MiB while starting", Confidence::kMedium});
  answer.environment_variables = {{"OMP_NUM_THREADS", "1"}};
  return answer;
}

inline Profile SomeProfile(ProfileState state) {
  Profile profile;
  profile.id = "0123";
  profile.workspace = "default";
  profile.state = state;
  profile.created = SomeTime();
  profile.request.name = "p1";
  profile.request.model_ids = {"sentiment:1"};
  profile.request.input_dataset_id = "requests:1";
  if (!IsFinished(state)) profile.progress = {"rows", 0.42, "replaying rows", 31};
  return profile;
}

inline Profile SucceededProfile(bool verified) {
  Profile profile = SomeProfile(ProfileState::kSucceeded);
  profile.recommendation = SomeAnswer(verified);
  profile.measurements = fakes::SomeMeasurements();
  profile.warnings = {{"sharedCores", "the replayer shared the model's cores", "use 4 cores"}};
  return profile;
}

// One that ran, and whose objective no limit holds.
inline Profile ProfileWithoutAnswer() {
  Profile profile = SomeProfile(ProfileState::kSucceeded);
  profile.request.objective.latency_ms = {{"p95", 10}};
  NearestRun nearest;
  nearest.limits = {Cores(2.0), GiB(4)};
  nearest.concurrency = 1;
  nearest.latency_p95_ms = 21.4;
  nearest.queries_per_second = 48.1;
  nearest.short_of = "p95 was 21.4 ms, 10.0 ms are allowed; more CPU would not change it";
  profile.no_answer = NoAnswer{
      kObjectiveNotHeld,
      "the model runs, and no limit up to the ceiling holds it: " + nearest.short_of, nearest};
  profile.measurements = fakes::SomeMeasurements();
  return profile;
}

// A profile whose every analysis found something.
inline Profile LeakingProfile() {
  Profile profile = SucceededProfile(true);
  profile.request.objective.requests_per_second = 30;
  profile.request.objective.latency_ms = {{"p95", 50}};
  profile.request.objective.max_error_rate = 0.01;
  profile.recommendation->max_concurrency = 4;
  profile.recommendation->max_requests_per_second = 38.4;
  Findings& found = profile.findings;
  found.load =
      LoadCurve{{{1, 44, 22, 35, 47, 0.36, MiB(430), 0}, {2, 86, 23, 36, 49, 0.7, MiB(440), 0}}, 2};
  found.cpu = CpuCurve{{}, 2.5, 17.5, 1.5, 0.034};
  found.memory.emplace();
  found.memory->trend = MemoryTrend::kGrowing;
  found.memory->requests = 4200;
  found.memory->bytes_per_request = 1034;
  found.memory->hours_to_out_of_memory = 12.5;
  found.memory->per_concurrent_request = MiB(8);
  for (int row = 0; row < 7; ++row) found.heavy_rows.push_back({row, "memory", 5e8, 1e6});
  found.heavy_rows[0] = {17, "cpu", 41.2, 8};
  found.killing_rows = {3, 400};
  found.thread_pools = ThreadPoolFindings{
      17, 1, {"libgomp", "libopenblas"}, {{"OMP_NUM_THREADS", "1"}}, 2.4, 0.2, true};
  return profile;
}

inline std::string Text(const Json& json) { return DumpJson(json); }

}  // namespace mlprof::client::cli
