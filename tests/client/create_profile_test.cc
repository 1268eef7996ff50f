// `mlprof profile -m … --idi …` as a whole.
#include "client/cli/path_name.h"
#include "client/include/mlprof/pack_tar.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

class CreateProfileTest : public CliTest {
 protected:
  CreateProfileTest() {
    server_->On("GET /models/sentiment", 200, Text(EncodeModel(SomeModel())));
    server_->On("GET /datasets/requests", 200, Text(EncodeDataset(SomeDataset())));
    server_->On("POST /profiles", 202, Text(EncodeProfile(SomeProfile(ProfileState::kQueued))));
  }
  // The events end at once, with the profile in its last state.
  void Ends(const Profile& profile) {
    server_->On("GET /profiles/0123/events", [](const RestRequest&) {
      return FakeResponse{200,
                          "",
                          {},
                          {"id: 1\nevent: phase\ndata: {\"phase\":\"rows\",\"state\":\"Profiling\","
                           "\"message\":\"replaying rows\"}\n\n",
                           "id: 2\nevent: done\ndata: {}\n\n"},
                          false,
                          false};
    });
    server_->On("GET /profiles/0123", 200, Text(EncodeProfile(profile)));
  }
  Json Posted() { return ParseJson(server_->Asked("POST /profiles").at(0).body).value(); }
};

TEST_F(CreateProfileTest, PrintsTheAnswerAndALinePerPhase) {
  Ends(SucceededProfile(true));
  const Outcome outcome = Run({"profile", "-m", "sentiment", "--idi", "requests"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("    0.4 cores    512 MiB (0.5 GiB)\n"), std::string::npos);
  EXPECT_EQ(outcome.err, "mlprof: profile p1 is queued\nrows: replaying rows\n");
  EXPECT_EQ(Posted().at("modelIds"), Json({"sentiment:1"}));
  EXPECT_FALSE(Posted().contains("inferenceConfig"));
}

TEST_F(CreateProfileTest, PrintsTheResourceAndNothingElseAsJson) {
  Ends(SucceededProfile(true));
  const Outcome outcome = Run({"profile", "-m", "sentiment", "--idi", "requests", "-o", "json"});
  EXPECT_EQ(ParseJson(outcome.out).value(), EncodeProfile(SucceededProfile(true)));
}

TEST_F(CreateProfileTest, SaysBesideADocumentWhyTheExitStatusIsNotZero) {
  Profile unproven = SucceededProfile(false);
  unproven.warnings = {{"unverified", "the answer could not be verified: p95 was 9 ms", ""}};
  Ends(unproven);
  const Outcome outcome = Run({"profile", "-m", "sentiment", "--idi", "requests", "-o", "json"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_NE(outcome.err.find("warning: the answer could not be verified: p95 was 9 ms\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("exit status 5"), std::string::npos) << outcome.err;

  Ends(ProfileWithoutAnswer());
  const Outcome none = Run({"profile", "-m", "sentiment", "--idi", "requests", "-o", "yaml"});
  EXPECT_NE(none.err.find("(exit status 6)"), std::string::npos) << none.err;
}

TEST_F(CreateProfileTest, ExitStatusIsThatOfTheProfile) {
  Ends(SucceededProfile(false));
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests"}).status, 5);
  Ends(ProfileWithoutAnswer());
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests"}).status, 6);
  Ends(SomeProfile(ProfileState::kFailed));
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests"}).status, 1);
  Ends(SomeProfile(ProfileState::kTimedOut));
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests"}).status, 1);
}

TEST_F(CreateProfileTest, ExitStatusTellsAServerThatWentAwayMeanwhile) {
  server_->On("GET /profiles/0123/events", [this](const RestRequest&) {
    server_->GoAway();
    return FakeResponse{200, "", {}, {}, false, true};
  });
  follow_ = {std::chrono::milliseconds(1), std::chrono::milliseconds(1),
             std::chrono::milliseconds(20)};
  const Outcome outcome = Run({"profile", "-m", "sentiment", "--idi", "requests"});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_NE(outcome.err.find("no response"), std::string::npos) << outcome.err;
}

TEST_F(CreateProfileTest, TellsWhyThereIsNoAnswerAndWhatCameNearest) {
  Ends(ProfileWithoutAnswer());
  const Outcome outcome =
      Run({"profile", "-m", "sentiment", "--idi", "requests", "--tag-model", "-o", "table"});
  EXPECT_EQ(outcome.status, 6) << outcome.err;
  ExpectGolden("cli/no_answer.table", outcome.out);
  EXPECT_TRUE(server_->Asked("POST /profiles/0123/apply").empty());
  const Outcome json = Run({"profile", "-m", "sentiment", "--idi", "requests", "-o", "json"});
  EXPECT_EQ(json.status, 6);
  EXPECT_EQ(ParseJson(json.out).value().at("noAnswer").at("code"), "objectiveNotHeld");
  EXPECT_TRUE(ParseJson(json.out).value().at("recommendation").is_null());
}

TEST_F(CreateProfileTest, RefusesACeilingBelowTheLeastLimitsBeforeAnythingIsAsked) {
  const auto refused = [&](const std::string& option, const std::string& figure) {
    const Outcome outcome =
        Run({"profile", "-m", "sentiment", "--idi", "requests", option, figure});
    EXPECT_EQ(outcome.status, 2) << figure;
    return outcome.err;
  };
  EXPECT_NE(refused("--memory-gb", "0.016").find("--memory-gb must be at least 0.03125"),
            std::string::npos);
  EXPECT_NE(refused("--cpu", "0.05").find("--cpu must be at least 0.1"), std::string::npos);
  EXPECT_EQ(connected_to_, "");
  Ends(SucceededProfile(true));
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests", "--cpu", "0.1", "--memory-gb",
                 "0.03125"})
                .status,
            0);
}

TEST_F(CreateProfileTest, TagsTheModelsAfterwards) {
  Ends(SucceededProfile(true));
  server_->On("POST /profiles/0123/apply", 200, Text(EncodeProfile(SucceededProfile(true))));
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests", "--tag-model"}).status, 0);
  EXPECT_EQ(server_->Asked("POST /profiles/0123/apply").size(), 1U);
}

TEST_F(CreateProfileTest, DoesNotWaitWhereToldSo) {
  const Outcome outcome =
      Run({"profile", "-m", "sentiment", "--idi", "requests", "--no-wait", "-o", "tsv"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.substr(0, 9), "p1\tQueued");
  environment_.erase("MLPROF_SERVER");
  EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests", "--no-wait"}).status, 2);
}

TEST_F(CreateProfileTest, SendsWhatTheOptionsSay) {
  Ends(SucceededProfile(true));
  Run({"profile", "--model", "sentiment", "--input-dataset-id", "requests", "--name", "p9", "--cpu",
       "3.5", "--memory-gb", "15", "--concurrency", "4", "--p95-ms", "50", "--budget-seconds",
       "60"});
  EXPECT_EQ(Posted().at("name"), "p9");
  EXPECT_EQ(Posted().at("containerResourceRequirements"),
            (Json{{"cpu", 3.5}, {"memoryInGb", 15.0}}));
  EXPECT_EQ(Posted().at("objective"), (Json{{"concurrency", 4}, {"latencyInMs", {{"p95", 50.0}}}}));
  EXPECT_EQ(Posted().at("budgetSeconds"), 60);
  EXPECT_EQ(Run({"profile", "-m", "a", "--idi", "b", "--start-within-seconds", "0"}).status, 2);
  EXPECT_EQ(Run({"profile", "-m", "a", "--idi", "b", "--cpu", "0"}).status, 2);
  EXPECT_EQ(Run({"profile", "-m", "a", "--idi", "b", "--rps", "1", "--concurrency", "1"}).status,
            2);
}

TEST_F(CreateProfileTest, SendsARateAndHowItArrives) {
  Ends(SucceededProfile(true));
  const std::vector<std::string> base = {"profile", "-m", "sentiment", "--idi", "requests"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return Run(more);
  };
  EXPECT_EQ(with({"--rps", "40.5"}).status, 0);
  EXPECT_EQ(Posted().at("objective"), (Json{{"requestsPerSecond", 40.5}, {"arrivals", "poisson"}}));
  EXPECT_EQ(with({"--rps", "40", "--arrivals", "constant"}).status, 0);
  EXPECT_EQ(ParseJson(server_->Asked("POST /profiles").back().body)->at("objective"),
            (Json{{"requestsPerSecond", 40.0}, {"arrivals", "constant"}}));
  EXPECT_EQ(with({"--connections", "perRequest"}).status, 0);
  EXPECT_EQ(ParseJson(server_->Asked("POST /profiles").back().body)->at("objective"),
            (Json{{"connections", "perRequest"}}));
  EXPECT_EQ(with({"--connections", "some"}).status, 2);
  EXPECT_EQ(with({"--rps", "40", "--arrivals", "gamma:2.5"}).status, 0);
  EXPECT_EQ(ParseJson(server_->Asked("POST /profiles").back().body)->at("objective").at("arrivals"),
            (Json{{"gamma", {{"cv", 2.5}}}}));
  EXPECT_EQ(with({"--arrivals", "constant"}).status, 2);
  EXPECT_EQ(with({"--arrivals", "trace:"}).status, 2);
  EXPECT_EQ(with({"--arrivals", "trace:./nothing.txt", "--rps", "4"}).status, 2);
  EXPECT_EQ(with({"--arrivals", "trace:requests"}).status, 0);
  const Json asked = ParseJson(server_->Asked("POST /profiles").back().body)->at("objective");
  EXPECT_FALSE(asked.contains("requestsPerSecond"));
  EXPECT_TRUE(asked.at("arrivals").contains("trace")) << asked;
  for (const char* cv : {"gamma", "gamma:", "gamma:x", "gamma:0", "gamma:11", "gamma:2s"}) {
    EXPECT_EQ(with({"--rps", "40", "--arrivals", cv}).status, 2) << cv;
  }
  EXPECT_EQ(with({"--rps", "40", "--arrivals", "bursts"}).status, 2);
}

TEST_F(CreateProfileTest, SendsASoakAndWhetherToWaitForQuietOnlyWhereTheyAreGiven) {
  Ends(SucceededProfile(true));
  const std::vector<std::string> base = {"profile", "-m", "sentiment", "--idi", "requests"};
  Run(base);
  EXPECT_FALSE(Posted().contains("soakSeconds"));
  EXPECT_FALSE(Posted().contains("whenQuiet"));
  Run({"profile", "-m", "sentiment", "--idi", "requests", "--soak", "600", "--when-quiet"});
  const Json last = ParseJson(server_->Asked("POST /profiles").back().body).value();
  EXPECT_EQ(last.at("soakSeconds"), 600);
  EXPECT_EQ(last.at("whenQuiet"), true);
}

TEST_F(CreateProfileTest, RefusesASoakThatIsTooLongBeforeAnythingIsSent) {
  for (const char* seconds : {"0", "-1", "3601", "1.5"}) {
    EXPECT_EQ(Run({"profile", "-m", "sentiment", "--idi", "requests", "--soak", seconds}).status, 2)
        << seconds;
  }
  EXPECT_TRUE(server_->Asked("POST /profiles").empty());
}

TEST_F(CreateProfileTest, SendsHowSoonItMustStart) {
  Ends(SucceededProfile(true));
  Run({"profile", "-m", "sentiment", "--idi", "requests", "--start-within-seconds", "20"});
  EXPECT_EQ(Posted().at("objective"), (Json{{"startWithinSeconds", 20.0}}));
}

TEST_F(CreateProfileTest, LeavesTheBudgetToTheServerUnlessItIsNamed) {
  Ends(SucceededProfile(true));
  Run({"profile", "-m", "sentiment", "--idi", "requests"});
  EXPECT_FALSE(Posted().contains("budgetSeconds"));
  Run({"profile", "-m", "sentiment", "--idi", "requests", "--budget-seconds", "300"});
  EXPECT_EQ(ParseJson(server_->Asked("POST /profiles").back().body)->at("budgetSeconds"), 300);
}

TEST_F(CreateProfileTest, TellsHowLongItTakesToStart) {
  Profile profile = SucceededProfile(true);
  profile.request.ceiling.cpu = Cores(2.0);
  profile.request.objective.start_within_seconds = 60;
  profile.recommendation->start = StartFigures{StartTime{31, 10}, {6, 10}, Cores(1.7)};
  Ends(profile);
  const Outcome outcome = Run({"profile", "-m", "sentiment", "--idi", "requests"});
  EXPECT_NE(outcome.out.find("31 s at 0.4 cores, 6 s at 2 cores; 10 CPU seconds"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("started within 1 min 0 s"), std::string::npos) << outcome.out;
}

TEST_F(CreateProfileTest, SaysWhichIdIsUnknown) {
  const Outcome outcome = Run({"profile", "-m", "nosuch", "--idi", "requests"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("no model 'nosuch'"), std::string::npos);
  EXPECT_EQ(Run({"profile", "-m", "./nosuch", "--idi", "requests"}).status, 2);
}

TEST_F(CreateProfileTest, RegistersPathsUnlessTheyAreUnchanged) {
  Ends(SucceededProfile(true));
  const auto model_file = folder_.Write("sentiment", "weights");
  const auto rows_file = folder_.Write("rows.txt", "one\ntwo\n");
  server_->On("POST /models", 201, Text(EncodeModel(SomeModel(2))));
  server_->On("POST /datasets", 201, Text(EncodeDataset(SomeDataset())));
  const std::vector<std::string> arguments = {"profile", "-m", model_file.string(), "--idi",
                                              rows_file.string()};
  const Outcome first = Run(arguments);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(server_->Asked("POST /models").size(), 1U);
  const std::string model_name = NameOfPath(model_file, std::filesystem::canonical(model_file));
  const std::string rows_name = NameOfPath(rows_file, std::filesystem::canonical(rows_file));
  EXPECT_EQ(server_->Asked("POST /models").at(0).target, "/models?name=" + model_name);
  EXPECT_EQ(server_->Asked("POST /datasets").at(0).target, "/datasets?name=" + rows_name);

  Model same = SomeModel(2);
  same.sha256 = PackTar(model_file, TarLayout::kUnderBaseName, folder_.path() / "same.tar")->sha256;
  server_->On("GET /models/" + model_name, 200, Text(EncodeModel(same)));
  Dataset dataset = SomeDataset();
  dataset.row_count = 2;
  dataset.size = Bytes(6);
  server_->On("GET /datasets/" + rows_name, 200, Text(EncodeDataset(dataset)));
  server_->On("GET /datasets/requests%3A1/rows", 200, R"({"value":["one","two"]})");
  EXPECT_EQ(Run(arguments).status, 0);
  EXPECT_EQ(server_->Asked("POST /models").size(), 1U);
  EXPECT_EQ(server_->Asked("POST /datasets").size(), 1U);
}

TEST_F(CreateProfileTest, UploadsTheSourceOfAnInferenceConfig) {
  Ends(SucceededProfile(true));
  folder_.Write("job/src/score.py", "def init(): pass");
  folder_.Write("job/env.yml", "name: x");
  const auto config =
      folder_.Write("job/ic.json", R"({"entryScript":"score.py","sourceDirectory":"./src",
        "environment":{"python":{"condaDependenciesFile":"env.yml"}}})");
  server_->On("POST /sources", 201, R"({"id":"sha256:)" + std::string(64, 'b') + R"("})");
  const Outcome outcome =
      Run({"profile", "-m", "sentiment", "--idi", "requests", "--ic", config.string()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json sent = Posted().at("inferenceConfig");
  EXPECT_EQ(sent.at("sourceId"), "sha256:" + std::string(64, 'b'));
  EXPECT_EQ(sent.at("entryScript"), "score.py");
  EXPECT_FALSE(sent.contains("sourceDirectory"));
}

TEST_F(CreateProfileTest, NamesFileAndPointerOfABadInferenceConfig) {
  const auto missing = folder_.Write("ic.json", R"({"entryScript":"score.py"})");
  const Outcome no_script =
      Run({"profile", "-m", "sentiment", "--idi", "requests", "--ic", missing.string()});
  EXPECT_EQ(no_script.status, 2);
  EXPECT_NE(no_script.err.find("/entryScript: there is no file score.py"), std::string::npos);
  const auto wrong = folder_.Write("wrong.json", R"({"image":"x","port":"many"})");
  const Outcome bad =
      Run({"profile", "-m", "sentiment", "--idi", "requests", "--ic", wrong.string()});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find(wrong.string()), std::string::npos);
  EXPECT_NE(bad.err.find("/port"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::client::cli
