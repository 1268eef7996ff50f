#include "server/profiling/lab/model_inputs.h"

#include <gtest/gtest.h>

#include "tests/fakes/folder_input.h"

namespace mlprof::server {
namespace {

ModelFiles Files(const std::string& name, int version) {
  ModelFiles files;
  files.model.name = name;
  files.model.version = version;
  files.model.sha256 = "digest of " + name;
  files.model.size = Bytes(version);
  files.files = fakes::FolderReader("/host/" + name);
  return files;
}

TEST(PlaceModelsTest, GivesOneModelItsOwnFolder) {
  const PlacedModels placed = PlaceModels({Files("a", 3)}, {});
  EXPECT_EQ(placed.model_directory, "/var/azureml-app/azureml-models/a/3");
  ASSERT_EQ(placed.inputs.size(), 1U);
  EXPECT_EQ(placed.inputs[0].inside, placed.model_directory);
  EXPECT_EQ(placed.inputs[0].sha256, "digest of a");
  EXPECT_EQ(placed.inputs[0].size, Bytes(3));
  EXPECT_EQ(placed.inputs[0].reader->LocalDirectory(), "/host/a");
}

TEST(PlaceModelsTest, GivesSeveralModelsTheirParent) {
  const PlacedModels placed = PlaceModels({Files("a", 3), Files("b", 1)}, {});
  EXPECT_EQ(placed.model_directory, "/var/azureml-app/azureml-models");
  EXPECT_EQ(placed.inputs.at(0).inside, "/var/azureml-app/azureml-models/a/3");
  EXPECT_EQ(placed.inputs.at(1).inside, "/var/azureml-app/azureml-models/b/1");
}

TEST(PlaceModelsTest, PutsThemWhereTheConfigSays) {
  InferenceConfig config;
  config.model_mount_path = "/models";
  EXPECT_EQ(PlaceModels({Files("a", 3)}, config).inputs.at(0).inside, "/models");
  EXPECT_EQ(PlaceModels({Files("a", 3), Files("b", 1)}, config).inputs.at(1).inside, "/models/b/1");
}

}  // namespace
}  // namespace mlprof::server
