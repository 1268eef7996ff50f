#include "server/profiling/lab/model_mounts.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

ModelFiles Files(const std::string& name, int version) {
  ModelFiles files;
  files.model.name = name;
  files.model.version = version;
  files.files = "/host/" + name;
  return files;
}

TEST(PlaceModelsTest, GivesOneModelItsOwnFolder) {
  const ModelMounts placed = PlaceModels({Files("a", 3)}, {});
  EXPECT_EQ(placed.model_directory, "/var/azureml-app/azureml-models/a/3");
  ASSERT_EQ(placed.mounts.size(), 1U);
  EXPECT_EQ(placed.mounts[0].container, placed.model_directory);
  EXPECT_EQ(placed.mounts[0].host, "/host/a");
}

TEST(PlaceModelsTest, GivesSeveralModelsTheirParent) {
  const ModelMounts placed = PlaceModels({Files("a", 3), Files("b", 1)}, {});
  EXPECT_EQ(placed.model_directory, "/var/azureml-app/azureml-models");
  EXPECT_EQ(placed.mounts.at(0).container, "/var/azureml-app/azureml-models/a/3");
  EXPECT_EQ(placed.mounts.at(1).container, "/var/azureml-app/azureml-models/b/1");
}

TEST(PlaceModelsTest, MountsWhereTheConfigSays) {
  InferenceConfig config;
  config.model_mount_path = "/models";
  EXPECT_EQ(PlaceModels({Files("a", 3)}, config).mounts.at(0).container, "/models");
  EXPECT_EQ(PlaceModels({Files("a", 3), Files("b", 1)}, config).mounts.at(1).container,
            "/models/b/1");
}

}  // namespace
}  // namespace mlprof
