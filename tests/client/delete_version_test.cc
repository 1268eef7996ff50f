// `model delete` and `dataset delete`, by name and by id.
#include <gmock/gmock.h>

#include "tests/client/cli_fixture.h"

namespace mlprof::client::cli {
namespace {

using ::testing::HasSubstr;

std::string Page(const std::vector<Json>& values) {
  return Text({{"value", values}, {"nextCursor", nullptr}});
}

class DeleteVersionTest : public CliTest {
 protected:
  DeleteVersionTest() {
    for (const char* id : {"1", "2", "3"}) {
      server_->On(std::string("DELETE /models/sentiment%3A") + id, 204, "");
      server_->On(std::string("DELETE /datasets/requests%3A") + id, 204, "");
    }
    server_->On("GET /models/sentiment", 200, Text(EncodeModel(SomeModel(3))));
    server_->On("GET /datasets/requests", 200, Text(EncodeDataset(DatasetOf(2))));
    ModelsAre({SomeModel(3), SomeModel(2), SomeModel(1)});
    server_->On("GET /datasets", 200,
                Page({EncodeDataset(DatasetOf(2)), EncodeDataset(DatasetOf(1))}));
  }
  static Dataset DatasetOf(int version) {
    Dataset dataset = SomeDataset();
    dataset.version = version;
    dataset.id = "requests:" + std::to_string(version);
    return dataset;
  }
  void ModelsAre(const std::vector<Model>& models) {
    std::vector<Json> values;
    for (const Model& model : models) values.push_back(EncodeModel(model));
    server_->On("GET /models", 200, Page(values));
  }
  std::size_t Deleted(const std::string& id) { return server_->Asked("DELETE /" + id).size(); }
};

TEST_F(DeleteVersionTest, SaysWhichVersionANameMeant) {
  const Outcome model = Run({"model", "delete", "sentiment"});
  EXPECT_EQ(model.status, 0) << model.err;
  EXPECT_EQ(model.err, "mlprof: deleted model sentiment:3\n");
  EXPECT_EQ(Deleted("models/sentiment%3A3"), 1U);
  const Outcome dataset = Run({"dataset", "delete", "requests"});
  EXPECT_EQ(dataset.err, "mlprof: deleted dataset requests:2\n");
  EXPECT_EQ(Deleted("datasets/requests%3A2"), 1U);
  EXPECT_EQ(times_asked_, 0);
}

TEST_F(DeleteVersionTest, AsksAPersonAndNamesTheVersions) {
  can_ask_ = true;
  const Outcome no = Run({"model", "delete", "sentiment"});
  EXPECT_EQ(no.status, 1);
  EXPECT_EQ(no.err,
            "mlprof: the newest version of model sentiment is sentiment:3; sentiment:2 and "
            "sentiment:1 stay. Delete sentiment:3? [y/N] mlprof: nothing was deleted\n");
  EXPECT_EQ(Deleted("models/sentiment%3A3"), 0U);
  EXPECT_THAT(Run({"dataset", "delete", "requests"}).err, HasSubstr("requests:1 stays. Delete"));
  EXPECT_EQ(Deleted("datasets/requests%3A2"), 0U);
  confirms_ = true;
  EXPECT_EQ(Run({"model", "delete", "sentiment"}).status, 0);
  EXPECT_EQ(Run({"dataset", "delete", "requests"}).status, 0);
  EXPECT_EQ(Deleted("models/sentiment%3A3"), 1U);
  EXPECT_EQ(Deleted("datasets/requests%3A2"), 1U);
  EXPECT_EQ(times_asked_, 4);
}

TEST_F(DeleteVersionTest, AsksNobodyWhoSaysYesOrNamesAVersionOrHasOne) {
  can_ask_ = true;
  EXPECT_EQ(Run({"model", "delete", "sentiment", "--yes"}).status, 0);
  EXPECT_EQ(Run({"ml", "model", "delete", "-i", "sentiment", "-y"}).status, 0);
  EXPECT_EQ(Run({"model", "delete", "sentiment:1"}).status, 0);
  EXPECT_EQ(Run({"dataset", "delete", "requests:1"}).status, 0);
  EXPECT_EQ(Run({"dataset", "delete", "requests", "-y"}).status, 0);
  ModelsAre({SomeModel(3)});
  EXPECT_EQ(Run({"model", "delete", "sentiment"}).status, 0);
  EXPECT_EQ(times_asked_, 0);
  EXPECT_EQ(Deleted("models/sentiment%3A1"), 1U);
  EXPECT_EQ(Deleted("datasets/requests%3A1"), 1U);
}

TEST_F(DeleteVersionTest, SaysWhichRunOfAProfileANameMeant) {
  server_->On("GET /profiles/p1", 200, Text(EncodeProfile(SucceededProfile(true))));
  server_->On("DELETE /profiles/0123", 204, "");
  const Outcome outcome = Run({"profile", "delete", "p1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "mlprof: deleted profile p1 of 2026-01-02 03:04:05 (0123)\n");
}

TEST_F(DeleteVersionTest, DeletesASourceByItsContent) {
  const std::string digest(64, 'a');
  server_->On("DELETE /sources/sha256%3A" + digest, 204, "");
  const Outcome outcome = Run({"source", "delete", "sha256:" + digest});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "mlprof: deleted source sha256:" + digest + "\n");
  EXPECT_EQ(Deleted("sources/sha256%3A" + digest), 1U);
}

TEST_F(DeleteVersionTest, SaysSoWhereThereIsNone) {
  EXPECT_EQ(Run({"model", "delete", "nosuch"}).status, 3);
  EXPECT_EQ(Run({"dataset", "delete", "nosuch"}).status, 3);
  EXPECT_EQ(Run({"source", "delete", "sha256:0"}).status, 3);
}

}  // namespace
}  // namespace mlprof::client::cli
