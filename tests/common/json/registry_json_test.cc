#include <gtest/gtest.h>

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

TEST(ModelJsonTest, ReadsBackWhatItWrites) {
  Model model;
  model.id = "m:2";
  model.name = "m";
  model.version = 2;
  model.tags = {{"a", "b"}};
  model.properties = {{"c", "d"}};
  model.size = Bytes(5);
  model.inference_config.emplace();
  model.inference_config->service = EntryScriptConfig();
  const Json json = EncodeModel(model);
  const auto again = DecodeModel(json);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(EncodeModel(*again), json);
}

TEST(DatasetJsonTest, ReadsBackWhatItWrites) {
  Dataset dataset;
  dataset.id = "d:1";
  dataset.row_count = 10;
  dataset.distinct_row_count = 9;
  const Json json = EncodeDataset(dataset);
  EXPECT_EQ(EncodeDataset(*DecodeDataset(json)), json);
}
}  // namespace
}  // namespace mlprof
