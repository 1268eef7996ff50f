#include "server/registry/model_weights.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

std::filesystem::path Fixtures() {
  return std::filesystem::path(MLPROF_SOURCE_DIR) / "tests/fixtures/model_files";
}

TEST(ModelWeightsTest, AreThoseOfAllFilesOfTheTree) {
  TemporaryDirectory folder;
  std::filesystem::copy(Fixtures() / "saved_model", folder / "saved_model",
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(Fixtures() / "model.safetensors", folder / "model.safetensors");
  std::ofstream(folder / "config.json") << "{}";
  const auto weights = ReadModelWeights(folder.path());
  ASSERT_TRUE(weights);
  ASSERT_EQ(weights->files.size(), 2U);
  EXPECT_EQ(weights->files[0].path, "model.safetensors");
  EXPECT_EQ(weights->files[1].path, "saved_model/variables/variables.index");
  EXPECT_EQ(weights->least_memory, Bytes(276 + 246));
  EXPECT_FALSE(weights->more);
}

TEST(ModelWeightsTest, ACheckpointWhoseDataIsCutHasAProblem) {
  TemporaryDirectory folder;
  std::filesystem::copy(Fixtures() / "saved_model/variables", folder / "variables",
                        std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(folder / "variables/variables.data-00000-of-00001", 100);
  const auto weights = ReadModelWeights(folder.path());
  ASSERT_TRUE(weights);
  ASSERT_EQ(weights->files.size(), 1U);
  EXPECT_NE(weights->files[0].problem, "");
  EXPECT_FALSE(weights->least_memory);
}

TEST(ModelWeightsTest, LinksAreNotFollowed) {
  TemporaryDirectory folder;
  std::filesystem::create_symlink(Fixtures() / "model.safetensors", folder / "m.safetensors");
  const auto weights = ReadModelWeights(folder.path());
  ASSERT_TRUE(weights);
  EXPECT_TRUE(weights->files.empty());
}

TEST(ModelWeightsTest, ATreeThatIsNotThereIsAnError) {
  EXPECT_FALSE(ReadModelWeights("/no/such/folder"));
}

}  // namespace
}  // namespace mlprof::server
