// `mlprof profile … --variants FILE` as a whole, and `mlprof comparison`.
#include "client/cli/exit_status.h"
#include "client/cli/output/pareto_plot.h"
#include "common/json/variant_comparison_json.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

VariantResult SomeVariant(const std::string& name, VariantOutcome outcome) {
  VariantResult result;
  result.variant.name = name;
  result.profile = "precisions." + name;
  result.profile_id = "id-" + name;
  result.outcome = outcome;
  return result;
}

VariantResult RankedVariant(const std::string& name, int rank, double cost, double p95_ms,
                            double requests_per_second) {
  VariantResult result = SomeVariant(name, VariantOutcome::kProven);
  result.figures =
      VariantFigures{{Cores(1.0), MiB(512)}, p95_ms, requests_per_second, cost, cost * 10};
  result.rank = rank;
  result.on_front = rank < 3;
  return result;
}

VariantComparison SomeComparison(std::vector<VariantResult> results) {
  VariantComparison comparison;
  comparison.id = "0c0c";
  comparison.workspace = "default";
  comparison.created = SomeTime();
  comparison.state = ComparisonState::kSucceeded;
  comparison.request.base.name = "precisions";
  comparison.request.base.model_ids = {"sentiment:1"};
  comparison.request.base.input_dataset_id = "requests:1";
  for (const VariantResult& result : results) comparison.request.variants.push_back(result.variant);
  comparison.results = std::move(results);
  return comparison;
}

VariantComparison Ended() {
  VariantResult failed = SomeVariant("int8", VariantOutcome::kFailed);
  failed.why = "ModelCrashed: the model ended while it started";
  auto comparison = SomeComparison({RankedVariant("float32", 2, 2.06, 21.4, 40), failed,
                                    RankedVariant("bfloat16", 1, 1.06, 24, 38),
                                    RankedVariant("x", 3, 3, 30, 20)});
  comparison.choice =
      VariantChoice{"bfloat16", "it holds the objective at the least cost: 1.06 an hour", {"x"}};
  return comparison;
}

class VariantsTest : public CliTest {
 protected:
  VariantsTest() {
    server_->On("GET /models/sentiment", 200, Text(EncodeModel(SomeModel())));
    server_->On("GET /datasets/requests", 200, Text(EncodeDataset(SomeDataset())));
  }
  // Both are profiled when they are asked for, and the comparison is over after the second.
  void Runs(const VariantComparison& ended) {
    VariantComparison queued = ended;
    queued.state = ComparisonState::kQueued;
    queued.choice.reset();
    for (VariantResult& result : queued.results) {
      result = SomeVariant(result.variant.name, VariantOutcome::kWaiting);
    }
    server_->On("POST /comparisons", 202, Text(EncodeComparison(queued)));
    server_->On("GET /comparisons/0c0c", [this, queued, ended](const RestRequest&) {
      VariantComparison now = queued;
      const std::size_t over = ++times_asked_for_;
      for (std::size_t i = 0; i < over; ++i) now.results[i] = ended.results[i];
      if (over == now.results.size()) now = ended;
      return FakeResponse{200, Text(EncodeComparison(now)), {}, {}, false, false};
    });
    for (const VariantResult& result : ended.results) {
      const std::string route = "GET /profiles/" + result.profile_id;
      server_->On(route + "/events", 200, "id: 1\nevent: done\ndata: {}\n\n");
      server_->On(route, 200, Text(EncodeProfile(SucceededProfile(true))));
    }
  }
  std::string File(const std::string& text) {
    const auto path = folder_.path() / "variants.json";
    std::ofstream(path) << text;
    return path.string();
  }
  Outcome Compare(const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"profile",  "-m",         "sentiment", "--idi",
                                          "requests", "--variants", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
  Json Posted() { return ParseJson(server_->Asked("POST /comparisons").at(0).body).value(); }

  std::size_t times_asked_for_ = 0;
};

constexpr const char* kTwo = R"({"variants": [
  {"name": "float32"}, {"name": "bfloat16", "environmentVariables": {"PRECISION": "bf16"}}]})";

TEST_F(VariantsTest, FollowsEachVariantAndPrintsThemSideBySide) {
  Runs(Ended());
  const Outcome outcome = Compare(File(kTwo));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("mlprof: variant 2 of 4: int8\n"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("int8: failed: ModelCrashed"), std::string::npos);
  EXPECT_NE(outcome.err.find("bfloat16: proven, 1 core, 512 MiB, p95 24 ms"), std::string::npos);
  ExpectGolden("cli/comparison.table", outcome.out);
}

TEST_F(VariantsTest, PrintsTheResourceAndNothingElseAsJson) {
  Runs(Ended());
  EXPECT_EQ(ParseJson(Compare(File(kTwo), {"-o", "json"}).out).value(), EncodeComparison(Ended()));
}

TEST_F(VariantsTest, SendsTheProfileItsVariantsAndTheirPrices) {
  Runs(Ended());
  const Outcome outcome =
      Compare(File(R"({"budgetSeconds": 100, "prices": {"perGibHour": 0.5}, "variants": [
        {"name": "a", "command": ["/serve"], "args": ["-q"], "image": "x:1"},
        {"name": "b", "objective": {"requestsPerSecond": 5, "latencyInMs": {"p95": 50}}}]})"),
              {"--core-price", "2", "--rank-by", "replica", "-n", "precisions", "--seed", "7"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json posted = Posted();
  EXPECT_EQ(posted.at("name"), "precisions");
  EXPECT_EQ(posted.at("seed"), 7);
  EXPECT_EQ(posted.at("budgetSeconds"), 100);
  EXPECT_EQ(posted.at("prices"), Json({{"perCoreHour", 2.0}, {"perGibHour", 0.5}}));
  EXPECT_EQ(posted.at("rankBy"), "replica");
  EXPECT_EQ(posted.at("variants")[0],
            Json({{"name", "a"}, {"command", {"/serve"}}, {"args", {"-q"}}, {"image", "x:1"}}));
  EXPECT_EQ(posted.at("variants")[1].at("objective").at("latencyInMs"), Json({{"p95", 50}}));
  times_asked_for_ = 0;
  Compare(File(R"({"budgetSeconds": 100, "variants": [{"name": "a"}, {"name": "b"}]})"),
          {"--budget-seconds", "60"});
  EXPECT_EQ(ParseJson(server_->Asked("POST /comparisons").at(1).body).value().at("budgetSeconds"),
            60);
}

TEST_F(VariantsTest, UploadsTheFolderOfAScriptOfAVariant) {
  Runs(Ended());
  std::filesystem::create_directory(folder_.path() / "src");
  std::ofstream(folder_.path() / "src" / "score.py") << "def init(): pass\n";
  server_->On("POST /sources", 201, R"({"id":"sha256:)" + std::string(64, 'a') + R"("})");
  const Outcome outcome = Compare(File(R"({"variants": [{"name": "a"}, {"name": "b",
    "inferenceConfig": {"entryScript": "score.py", "sourceDirectory": "src"}}]})"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Posted().at("variants")[1].at("inferenceConfig").at("sourceId"),
            "sha256:" + std::string(64, 'a'));
  const Outcome missing = Compare(File(R"({"variants": [{"name": "a"}, {"name": "b",
    "inferenceConfig": {"entryScript": "none.py", "sourceDirectory": "src"}}]})"));
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("/variants/1/inferenceConfig/entryScript"), std::string::npos);
}

TEST_F(VariantsTest, NamesATypoInTheFileAndWhatIsAllowedBeforeAnythingIsAsked) {
  const Outcome outcome =
      Compare(File(R"({"variants": [{"name": "a"}, {"name": "b"}, {"name": "c", "comand": []}]})"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("variants.json is no usable variants file"), std::string::npos);
  EXPECT_NE(outcome.err.find("/variants/2/comand: is not a known field; allowed are args, command"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(connected_to_, "");
  EXPECT_EQ(Compare(File("[]")).status, 2);
  EXPECT_EQ(Compare(File("{")).status, 2);
  EXPECT_EQ(Compare((folder_.path() / "nothing.json").string()).status, 2);
}

TEST_F(VariantsTest, SaysWhatDoesNotGoTogether) {
  const std::string file = File(kTwo);
  EXPECT_EQ(Compare(file, {"--tag-model"}).status, 2);
  EXPECT_EQ(Compare(file, {"--rank-by", "speed"}).status, 2);
  EXPECT_EQ(Compare(file, {"--core-price", "-1"}).status, 2);
  EXPECT_EQ(Compare(file, {"--core-price", "0", "--gib-price", "0"}).status, 2);
  const Outcome alone =
      Run({"profile", "-m", "sentiment", "--idi", "requests", "--core-price", "1"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("--core-price needs --variants"), std::string::npos);
}

TEST_F(VariantsTest, ExitStatusIsThatOfTheBestThatCameOut) {
  const auto status_of = [&](ComparisonState state, VariantOutcome first, VariantOutcome second) {
    auto comparison = SomeComparison({SomeVariant("a", first), SomeVariant("b", second)});
    comparison.state = state;
    return ExitStatusOf(comparison);
  };
  using enum VariantOutcome;
  EXPECT_EQ(ExitStatusOf(Ended()), 0);
  EXPECT_EQ(status_of(ComparisonState::kSucceeded, kUnproven, kNoAnswer), 5);
  EXPECT_EQ(status_of(ComparisonState::kSucceeded, kNoAnswer, kFailed), 6);
  EXPECT_EQ(status_of(ComparisonState::kFailed, kFailed, kFailed), 1);
  EXPECT_EQ(status_of(ComparisonState::kCanceled, kUnproven, kCanceled), 1);
}

TEST_F(VariantsTest, AreLookedAtAgain) {
  server_->On("GET /comparisons/precisions", 200, Text(EncodeComparison(Ended())));
  server_->On("GET /comparisons", 200,
              Text({{"value", {EncodeComparison(Ended())}}, {"nextCursor", nullptr}}));
  server_->On("POST /comparisons/precisions/cancel", 202, Text(EncodeComparison(Ended())));
  server_->On("DELETE /comparisons/precisions", 204, "");
  ExpectGolden("cli/comparison.table", Run({"comparison", "show", "precisions"}).out);
  ExpectGolden("cli/comparison.tsv", Run({"comparison", "show", "precisions", "-o", "tsv"}).out);
  const Outcome listed = Run({"comparison", "list"});
  EXPECT_NE(listed.out.find("precisions  Succeeded  4         bfloat16"), std::string::npos)
      << listed.out;
  EXPECT_EQ(Run({"comparison", "cancel", "precisions"}).status, 0);
  EXPECT_EQ(Run({"comparison", "delete", "precisions"}).status, 0);
  EXPECT_EQ(server_->Asked("DELETE /comparisons/precisions").size(), 1U);
  EXPECT_EQ(Run({"comparison", "show", "nothing"}).status, 3);
}

TEST_F(VariantsTest, PlotsEveryProvenVariantAtItsPlace) {
  const std::string plot = ParetoPlot(Ended().results, PlotAgainst::kLatency);
  std::istringstream lines(plot);
  std::string line;
  std::vector<std::string> field;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 60U) << line;
    if (line.find('|') != std::string::npos) field.push_back(line);
  }
  // The dearest is the slowest here: at the upper right; the fastest is below all.
  EXPECT_EQ(field.front().back(), '3');
  EXPECT_NE(field.front().find("30 ms"), std::string::npos);
  EXPECT_NE(field.back().find("2'"), std::string::npos);
  EXPECT_NE(plot.find("1'"), std::string::npos);
  EXPECT_EQ(ParetoPlot({Ended().results[0]}, PlotAgainst::kLatency), "");
}

TEST_F(VariantsTest, PlotsVariantsThatAreAllAlikeAsOneSpot) {
  const std::string plot =
      ParetoPlot({RankedVariant("a", 1, 1, 20, 10), RankedVariant("b", 2, 1, 20, 10)},
                 PlotAgainst::kThroughput);
  EXPECT_NE(plot.find('#'), std::string::npos) << plot;
}

}  // namespace
}  // namespace mlprof::client::cli
