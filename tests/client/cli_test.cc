#include "client/cli/cli.h"

#include <iterator>

#include "client/cli/command.h"
#include "tests/client/cli_fixture.h"
#include "tests/golden/golden.h"

namespace mlprof::client::cli {
namespace {

std::string ModelsPage() {
  return Text(
      {{"value", {EncodeModel(SomeModel(2)), EncodeModel(SomeModel(1))}}, {"nextCursor", nullptr}});
}

TEST_F(CliTest, PrintsTheVersionAndHelp) {
  EXPECT_EQ(Run({"--version"}).out, "mlprof " MLPROF_VERSION "\n");
  EXPECT_EQ(Run({}).status, 2);
  EXPECT_EQ(Run({"--help"}).status, 0);
  const Outcome help = Run({"model", "register", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("Examples:\n  mlprof model register"), std::string::npos);
}

TEST_F(CliTest, NamesTheCommandThatWasMeant) {
  const Outcome outcome = Run({"profile", "lst"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "mlprof: unknown command 'profile lst'; did you mean 'mlprof profile list'?\n");
}

// Everything one slip of the hand makes of a command's last word.
std::vector<std::string> Misspelled(const std::string& path) {
  std::vector<std::string> words;
  for (std::size_t i = path.rfind(' ') + 1; i < path.size(); ++i) {
    words.push_back(path.substr(0, i) + path.substr(i + 1));
    words.push_back(path.substr(0, i) + "x" + path.substr(i + 1));
    words.push_back(path.substr(0, i) + "x" + path.substr(i));
    std::string swapped = path;
    if (i + 1 < path.size()) std::swap(swapped[i], swapped[i + 1]);
    words.push_back(swapped);
  }
  return words;
}

std::vector<std::string> Split(const std::string& path) {
  std::istringstream in(path);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST_F(CliTest, NeverProposesACommandThatDestroys) {
  std::vector<std::string> typos = {"profile watch",   "profile clear",  "model remove",
                                    "dataset release", "token rework",   "profile canel",
                                    "ml model delet",  "profile dancel", "model dilute"};
  for (const Command& command : AllCommands()) {
    const auto misspelled = Misspelled(command.path);
    typos.insert(typos.end(), misspelled.begin(), misspelled.end());
  }
  int proposals = 0;
  for (const std::string& typo : typos) {
    const bool known = std::any_of(AllCommands().begin(), AllCommands().end(),
                                   [&](const Command& c) { return c.path == typo; });
    if (known) continue;
    const std::string said = Run(Split(typo)).err;
    proposals += said.find("did you mean") == std::string::npos ? 0 : 1;
    for (const char* word : {"delete", "cancel", "revoke", "gc", "restore"}) {
      EXPECT_EQ(said.find(std::string(" ") + word + "'?"), std::string::npos) << typo << "\n"
                                                                              << said;
    }
  }
  EXPECT_GT(proposals, 100);
}

TEST_F(CliTest, SaysWhatALaterVersionBrings) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"backup", "file"},
        {"check", "p"},
        {"profile", "trials", "p"},
        {"workspace", "list"},
        {"profile", "export", "p", "-t", "d", "--format", "html"}}) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("comes with a later version"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliTest, ListsInEveryFormat) {
  server_->On("GET /models", 200, ModelsPage());
  ExpectGolden("cli/model_list.table", Run({"model", "list"}).out);
  ExpectGolden("cli/model_list.json", Run({"model", "list", "-o", "json"}).out);
  ExpectGolden("cli/model_list.yaml", Run({"model", "list", "-o", "yaml"}).out);
  ExpectGolden("cli/model_list.tsv", Run({"model", "list", "-o", "tsv"}).out);
  EXPECT_EQ(Run({"model", "list", "-o", "xml"}).status, 2);
}

TEST_F(CliTest, TakesEveryPageOfAList) {
  server_->On("GET /models", [](const RestRequest& request) {
    const bool second = request.target.find("cursor=next") != std::string::npos;
    const Json cursor = second ? Json() : Json("next");
    return FakeResponse{
        200,   Text({{"value", {EncodeModel(SomeModel(second ? 1 : 2))}}, {"nextCursor", cursor}}),
        {},    {},
        false, false};
  });
  const Outcome outcome = Run({"model", "list", "-o", "tsv"});
  EXPECT_NE(outcome.out.find("sentiment:2"), std::string::npos);
  EXPECT_NE(outcome.out.find("sentiment:1"), std::string::npos);
}

TEST_F(CliTest, ReadsCommonOptionsBeforeTheCommandToo) {
  server_->On("GET /models", 200, ModelsPage());
  EXPECT_EQ(Run({"--server", "http://elsewhere", "model", "list"}).status, 0);
  EXPECT_EQ(connected_to_, "http://elsewhere");
}

TEST_F(CliTest, FindsTheServerInTheConfigFile) {
  environment_.erase("MLPROF_SERVER");
  folder_.Write(".config/mlprof/config.json", R"({"server":"http://configured"})");
  server_->On("GET /models", 200, ModelsPage());
  EXPECT_EQ(Run({"model", "list"}).status, 0);
  EXPECT_EQ(connected_to_, "http://configured");
}

TEST_F(CliTest, MakesAnAzureWorkspaceOfItsParts) {
  server_->On("GET /models", 200, ModelsPage());
  Run({"model", "list", "-w", "ws", "-g", "group", "--subscription", "sub"});
  EXPECT_EQ(server_->Asked("GET /models").at(0).target, "/models?workspace=sub%2Fgroup%2Fws");
}

TEST_F(CliTest, TakesTheSubscriptionFromTheEnvironmentWhereNoneIsGiven) {
  server_->On("GET /models", 200, ModelsPage());
  Run({"model", "list", "-w", "ws", "-g", "group"});
  environment_["AZURE_SUBSCRIPTION_ID"] = "mine";
  Run({"model", "list", "-w", "ws", "-g", "group"});
  Run({"model", "list", "-w", "ws", "-g", "group", "--subscription-id", "other"});
  const auto asked = server_->Asked("GET /models");
  EXPECT_EQ(asked.at(0).target, "/models?workspace=default%2Fgroup%2Fws");
  EXPECT_EQ(asked.at(1).target, "/models?workspace=mine%2Fgroup%2Fws");
  EXPECT_EQ(asked.at(2).target, "/models?workspace=other%2Fgroup%2Fws");
}

TEST_F(CliTest, HelpsWithGroupsWithinGroups) {
  const Outcome asked = Run({"ml", "model", "--help"});
  EXPECT_EQ(asked.status, 0);
  EXPECT_NE(asked.out.find("\n  ml model profile "), std::string::npos);
  EXPECT_EQ(asked.out.find("\n  model list "), std::string::npos);
  const Outcome bare = Run({"ml", "model"});
  EXPECT_EQ(bare.status, 2);
  EXPECT_EQ(bare.err, asked.out);
  EXPECT_EQ(Run({"ml", "model", "lst"}).err,
            "mlprof: unknown command 'ml model lst'; did you mean 'mlprof ml model list'?\n");
}

TEST_F(CliTest, ExitStatusTellsWhatWentWrong) {
  EXPECT_EQ(Run({"model", "show", "nosuch"}).status, 3);
  server_->On("DELETE /models/sentiment%3A1", 409, R"({"detail":"in use"})");
  const Outcome conflict = Run({"model", "delete", "sentiment:1"});
  EXPECT_EQ(conflict.status, 1);
  EXPECT_EQ(conflict.err, "mlprof: in use\n");
  server_->On("GET /models/x", 400, R"({"detail":"bad","errors":[{"pointer":"/a","detail":"b"}]})");
  const Outcome refused = Run({"model", "show", "x"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.err, "mlprof: bad\n  /a: b\n");
  server_->GoAway();
  EXPECT_EQ(Run({"model", "show", "x"}).status, 4);
}

TEST_F(CliTest, RegistersAModelWithItsTags) {
  const auto file = folder_.Write("model.bin", "weights");
  std::string uploaded;
  server_->On("POST /models", [&](const RestRequest& request) {
    uploaded = request.body_file.string();
    EXPECT_TRUE(std::filesystem::exists(request.body_file));
    return FakeResponse{201, Text(EncodeModel(SomeModel())), {}, {}, false, false};
  });
  EXPECT_EQ(Run({"model", "register", "-n", "sentiment", "-p", file.string(), "--tag", "team=nlp"})
                .status,
            0);
  const auto request = server_->Asked("POST /models").at(0);
  EXPECT_EQ(request.target, "/models?name=sentiment&tag=team%3Dnlp");
  EXPECT_EQ(request.headers.at("Content-Type"), "application/x-tar");
  EXPECT_EQ(request.headers.at("Idempotency-Key").size(), 36U);
  EXPECT_FALSE(std::filesystem::exists(uploaded));
}

TEST_F(CliTest, ShowsTheFirstRows) {
  server_->On("GET /datasets/requests/rows", 200,
              R"({"value":["a\u001b",{"base64":"/w=="}],"nextCursor":null})");
  EXPECT_EQ(Run({"dataset", "head", "requests", "-c", "2"}).out.substr(0, 6), "a\\x1b\n");
  EXPECT_NE(Run({"dataset", "head", "requests", "-o", "json"}).out.find("\"base64\": \"/w==\""),
            std::string::npos);
}

TEST_F(CliTest, ExportsFiles) {
  server_->On("GET /profiles/p1", 200, Text(EncodeProfile(SucceededProfile(true))));
  server_->On("GET /profiles/0123/trials", 200, R"({"value":[],"nextCursor":null})");
  RowRecord row;
  row.row = 3;
  server_->On("GET /profiles/0123/rows", 200,
              Text({{"value", {EncodeRowRecord(row)}}, {"nextCursor", nullptr}}));
  // The device's series is one that nothing here was written for.
  const std::string response =
      R"({"series":{"cpuCores":[[0.5,0.25]],"deviceMemoryInBytes":[[0.1,2048.0]]},)"
      R"("seriesInfo":{"cpuCores":{"source":"agent","unit":"cores"},)"
      R"("deviceMemoryInBytes":{"source":"device","unit":"bytes"}}})";
  server_->On("GET /profiles/0123/samples", 200, response);
  const std::string folder = (folder_.path() / "out").string();
  EXPECT_EQ(Run({"profile", "export", "p1", "-t", folder, "--format", "csv"}).status, 0);
  std::ifstream samples(folder + "/samples.csv");
  std::string line;
  std::getline(samples, line);
  EXPECT_EQ(line, "series,seconds,value,unit,source\r");
  std::getline(samples, line);
  EXPECT_EQ(line, "cpuCores,0.5,0.25,cores,agent\r");
  std::getline(samples, line);
  EXPECT_EQ(line, "deviceMemoryInBytes,0.1,2048.0,bytes,device\r");
  EXPECT_EQ(Run({"profile", "export", "p1", "-t", folder}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder + "/profile.json"));
  std::ifstream json(folder + "/samples.json");
  std::getline(json, line);
  EXPECT_EQ(line, response);
}

}  // namespace
}  // namespace mlprof::client::cli
