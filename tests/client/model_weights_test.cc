#include "client/cli/output/weights_details.h"
#include "common/json/model_weights_json.h"
#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

ModelWeights SomeWeights() {
  WeightsFile file;
  file.path = "model.safetensors";
  file.size = MiB(101);
  file.format = WeightsFormat::kSafetensors;
  file.tensors = 12;
  file.by_type = {{"float32", 26'214'400, MiB(100)}};
  WeightsFile cut;
  cut.path = "cut\x1b.gguf";
  cut.format = WeightsFormat::kGguf;
  cut.problem = "it ends too early";
  ModelWeights weights;
  weights.files = {cut, file};
  weights.parameters = 26'214'400;
  weights.by_type = file.by_type;
  weights.least_memory = MiB(100);
  weights.in_smaller_types = {{"bfloat16", MiB(50)}};
  return weights;
}

class ModelWeightsTest : public CliTest {
 protected:
  ModelWeightsTest() {
    server_->On("GET /models/sentiment", 200, DumpJson(EncodeModel(SomeModel())));
    for (const char* id : {"sentiment", "sentiment%3A1"}) {
      server_->On(std::string("GET /models/") + id + "/weights", 200,
                  DumpJson(EncodeModelWeights(SomeWeights())));
    }
    const Json profiles = {{"value", {EncodeProfile(SucceededProfile(true))}},
                           {"nextCursor", nullptr}};
    server_->On("GET /profiles", 200, DumpJson(profiles));
  }
};

TEST_F(ModelWeightsTest, StandBesideTheModelAndWhatWasMeasured) {
  const Outcome shown = Run({"model", "show", "sentiment"});
  EXPECT_EQ(shown.status, 0);
  for (const char* words :
       {"sentiment:1", "26.2 million: float32 100 MiB", "100 MiB, to hold", "recommended by p1",
        "50 MiB in bfloat16 (50 MiB less)", "cut\\x1b.gguf: not read: it ends too early"}) {
    EXPECT_NE(shown.out.find(words), std::string::npos) << words << "\n" << shown.out;
  }
}

TEST_F(ModelWeightsTest, AreLeftOutOfTheModelInMachineFormats) {
  const Outcome shown = Run({"model", "show", "sentiment", "-o", "json"});
  EXPECT_EQ(ParseJson(shown.out).value_or(Json()), EncodeModel(SomeModel()));
}

TEST_F(ModelWeightsTest, AreToldAloneWhereTheyAreAskedFor) {
  const Outcome shown = Run({"model", "show", "sentiment", "--weights", "-o", "json"});
  EXPECT_EQ(ParseJson(shown.out).value_or(Json()), EncodeModelWeights(SomeWeights()));
}

TEST_F(ModelWeightsTest, OfAServerThatDoesNotTellThemTheModelIsStillShown) {
  server_->On("GET /models/sentiment%3A1/weights", 404, R"({"detail":"no such path"})");
  const Outcome shown = Run({"model", "show", "sentiment"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.out.find("Parameters"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::client::cli
