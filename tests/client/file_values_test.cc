// What a value of -m and --idi means: a file or folder here, else what is registered.
#include <gmock/gmock.h>

#include "client/cli/path_name.h"
#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr const char* kQueued = "POST /profiles";

// Works in a folder of its own, where `model` and `rows.jsonl` are registered names.
class FileValuesTest : public CliTest {
 protected:
  FileValuesTest() : before_(fs::current_path()) {
    fs::create_directories(folder_.path() / "work");
    fs::current_path(folder_.path() / "work");
    for (const char* id : {"model", "model%3A1"}) {
      server_->On(std::string("GET /models/") + id, 200, Text(EncodeModel(RegisteredModel())));
    }
    for (const char* id : {"rows.jsonl", "rows.jsonl%3A1"}) {
      server_->On(std::string("GET /datasets/") + id, 200, Text(EncodeDataset(RegisteredRows())));
    }
    server_->On("POST /models", [](const RestRequest& request) {
      Model model = SomeModel(1);
      model.name = NameIn(request);
      model.id = model.name + ":1";
      return FakeResponse{201, Text(EncodeModel(model)), {}, {}, false, false};
    });
    server_->On("POST /datasets", [](const RestRequest& request) {
      Dataset dataset = SomeDataset();
      dataset.name = NameIn(request);
      dataset.id = dataset.name + ":1";
      return FakeResponse{201, Text(EncodeDataset(dataset)), {}, {}, false, false};
    });
    server_->On(kQueued, 202, Text(EncodeProfile(SomeProfile(ProfileState::kQueued))));
    server_->On("POST /sources", 201, R"({"id":"sha256:)" + std::string(64, 'b') + R"("})");
  }
  ~FileValuesTest() override { fs::current_path(before_); }

  static Model RegisteredModel() {
    Model model = SomeModel(1);
    model.name = "model";
    model.id = "model:1";
    return model;
  }
  static Dataset RegisteredRows() {
    Dataset dataset = SomeDataset();
    dataset.name = "rows.jsonl";
    dataset.id = "rows.jsonl:1";
    return dataset;
  }
  static std::string NameIn(const RestRequest& request) {
    const std::size_t from = request.target.find("name=") + 5;
    return request.target.substr(from, request.target.find('&', from) - from);
  }
  void Write(const std::string& name, const std::string& text) {
    folder_.Write("work/" + name, text);
  }
  Outcome Profile(const std::string& model, const std::string& rows) {
    return Run({"profile", "-m", model, "--idi", rows, "--no-wait"});
  }
  Json Posted() { return ParseJson(server_->Asked(kQueued).back().body).value(); }
  std::string PostedModel() { return Posted().at("modelIds").at(0).get<std::string>(); }
  std::string PostedRows() { return Posted().at("inputDatasetId").get<std::string>(); }

 private:
  fs::path before_;
};

TEST_F(FileValuesTest, AreIdsAndNamesWhereNoFileIs) {
  EXPECT_EQ(Profile("model", "rows.jsonl").status, 0);
  EXPECT_EQ(PostedModel(), "model:1");
  EXPECT_EQ(PostedRows(), "rows.jsonl:1");
  EXPECT_EQ(Profile("model:1", "rows.jsonl:1").status, 0);
  EXPECT_EQ(PostedModel(), "model:1");
  EXPECT_TRUE(server_->Asked("POST /models").empty());
  EXPECT_TRUE(server_->Asked("POST /datasets").empty());
}

TEST_F(FileValuesTest, AreTheFileWhereOneIsWhateverIsRegistered) {
  Write("model/weights", "w");
  Write("rows.jsonl", "{\"changed\":1}\n");
  const Outcome outcome = Profile("model", "rows.jsonl");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(PostedModel(), MatchesRegex("model-[0-9a-f]{8}:1"));
  EXPECT_THAT(PostedRows(), MatchesRegex("rows.jsonl-[0-9a-f]{8}:1"));
  EXPECT_THAT(outcome.err, HasSubstr("using the folder model, not the registered model of that "
                                     "name (model:1 means that one)"));
  EXPECT_THAT(outcome.err, HasSubstr("using the file rows.jsonl, not the registered dataset of "
                                     "that name (rows.jsonl:1 means that one)"));
}

TEST_F(FileValuesTest, SayNothingWhereNothingElseHasTheName) {
  Write("mine", "w");
  Write("mine.txt", "a\n");
  const Outcome outcome = Profile("mine", "mine.txt");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("using")));
}

TEST_F(FileValuesTest, AreIdsWithAVersionUnlessSuchAFileIsThere) {
  Write("model", "w");
  EXPECT_EQ(Profile("model:1", "rows.jsonl:1").status, 0);
  EXPECT_EQ(PostedModel(), "model:1");
  Write("model:1", "w");
  const Outcome outcome = Profile("model:1", "rows.jsonl:1");
  EXPECT_THAT(PostedModel(), MatchesRegex("model-1-[0-9a-f]{8}:1"));
  EXPECT_THAT(outcome.err, HasSubstr("using the file model:1, not the registered model of that "
                                     "name\n"));
}

TEST_F(FileValuesTest, HaveANameOfTheirPathsOwn) {
  Write("a/model/weights", "w");
  Write("b/model/weights", "w");
  ASSERT_EQ(Profile("a/model", "rows.jsonl").status, 0);
  const std::string a = PostedModel();
  ASSERT_EQ(Profile("b/model", "rows.jsonl").status, 0);
  EXPECT_NE(PostedModel(), a);
  for (const char* spelling : {"./a/model", "a/../a/model", "a//model"}) {
    ASSERT_EQ(Profile(spelling, "rows.jsonl").status, 0);
    EXPECT_EQ(PostedModel(), a) << spelling;
  }
  fs::current_path("a");
  ASSERT_EQ(Profile("model", "rows.jsonl").status, 0);
  EXPECT_EQ(PostedModel(), a);
}

TEST_F(FileValuesTest, AreNoDatasetWhereAFolderHasTheName) {
  fs::create_directory("rows.jsonl");
  const Outcome outcome = Profile("model", "rows.jsonl");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("rows.jsonl is a folder here, and a dataset is one file"));
  EXPECT_EQ(Profile("model", "rows.jsonl:1").status, 0);
}

TEST_F(FileValuesTest, AreIdsFirstInAzuresSpelling) {
  Write("model", "w");
  Write("rows.jsonl", "{\"changed\":1}\n");
  Write("ic.json", R"({"image":"x"})");
  const auto asked = [&](const std::string& model, const std::string& rows) {
    return Run(
        {"ml", "model", "profile", "-n", "p1", "--model", model, "--idi", rows, "--ic", "ic.json"});
  };
  const Outcome outcome = asked("model", "rows.jsonl");
  EXPECT_EQ(PostedModel(), "model:1");
  EXPECT_EQ(PostedRows(), "rows.jsonl:1");
  EXPECT_THAT(outcome.err, HasSubstr("using the registered model model:1, not the file model "
                                     "(./model means that one)"));
  asked("./model", "./rows.jsonl");
  EXPECT_THAT(PostedModel(), MatchesRegex("model-[0-9a-f]{8}:1"));
  EXPECT_THAT(PostedRows(), MatchesRegex("rows.jsonl-[0-9a-f]{8}:1"));
}

TEST_F(FileValuesTest, TellOfAHeaderAsTheOptionSays) {
  Write("rows.csv", "text\nfirst film\n");
  ASSERT_EQ(Run({"profile", "-m", "model", "--idi", "rows.csv", "--no-wait"}).status, 0);
  EXPECT_EQ(server_->Asked("POST /datasets").back().headers.at("Content-Type"), "text/csv");
  for (const auto& [word, type] : {std::pair{"present", "text/csv;header=present"},
                                   std::pair{"none", "text/csv;header=absent"}}) {
    ASSERT_EQ(
        Run({"profile", "-m", "model", "--idi", "rows.csv", "--no-wait", "--header", word}).status,
        0);
    EXPECT_EQ(server_->Asked("POST /datasets").back().headers.at("Content-Type"), type);
    ASSERT_EQ(Run({"dataset", "register", "-n", "r", "-f", "rows.csv", "--header", word}).status,
              0);
    EXPECT_EQ(server_->Asked("POST /datasets").back().headers.at("Content-Type"), type);
  }
}

TEST_F(FileValuesTest, TakeNoHeaderOfWhatIsNoCsv) {
  Write("rows.csv", "text\nfirst film\n");
  Write("rows.txt", "a\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"profile", "-m", "model", "--idi", "rows.txt", "--header", "none"},
        {"profile", "-m", "model", "--idi", "rows.jsonl", "--header", "none"},
        {"profile", "-m", "model", "--idi", "rows.csv", "--header", "absent"},
        {"dataset", "register", "-n", "r", "-f", "rows.txt", "--header", "present"}}) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--header"));
  }
}

// A dataset that the server warned of when it was registered.
TEST_F(FileValuesTest, RepeatAWarningUntilItIsHeeded) {
  Write("rows.csv", "text\nfirst film\n");
  Dataset known = SomeDataset();
  known.name = NameOfPath("rows.csv", fs::canonical("rows.csv"));
  known.id = known.name + ":1";
  known.row_count = 2;
  known.size = Bytes(14);
  known.warnings = {{"looksLikeHeader", "it looks like a header", "say so"}};
  server_->On("GET /datasets/" + known.name, 200, Text(EncodeDataset(known)));
  server_->On("GET /datasets/" + known.name + "%3A1/rows", 200,
              R"({"value":["text","first film"]})");
  const Outcome unsaid = Profile("model", "rows.csv");
  EXPECT_THAT(unsaid.err, HasSubstr("mlprof: warning: it looks like a header; say so\n"));
  EXPECT_EQ(PostedRows(), known.id);
  EXPECT_TRUE(server_->Asked("POST /datasets").empty());
  const Outcome said =
      Run({"profile", "-m", "model", "--idi", "rows.csv", "--no-wait", "--header", "none"});
  EXPECT_THAT(said.err, Not(HasSubstr("warning")));
  EXPECT_EQ(server_->Asked("POST /datasets").size(), 1U);
}

TEST(PathNameTest, KeepsWhatThePathCallsItAndIsAName) {
  EXPECT_THAT(NameOfPath("./model", "/home/a/model"), MatchesRegex("model-[0-9a-f]{8}"));
  EXPECT_EQ(NameOfPath("./model", "/home/a/model"), NameOfPath("model/", "/home/a/model"));
  EXPECT_NE(NameOfPath("./model", "/home/a/model"), NameOfPath("./model", "/home/b/model"));
  EXPECT_THAT(NameOfPath("my rows.txt", "/my rows.txt"), MatchesRegex("my-rows.txt-[0-9a-f]{8}"));
  EXPECT_EQ(NameOfPath(std::string(300, 'a'), "/x").size(), 255U);
}

}  // namespace
}  // namespace mlprof::client::cli
