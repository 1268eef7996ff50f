#include "common/json/model_weights_json.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(ModelWeightsJsonTest, ReadsBackWhatItWrote) {
  WeightsFile file;
  file.path = "a/model.onnx";
  file.size = Bytes(900);
  file.format = WeightsFormat::kOnnx;
  file.tensors = 3;
  file.by_type = {{"float16", 400, Bytes(800)}};
  file.training = Bytes(1600);
  file.object = "a.B";
  file.problem = "p";
  file.left_out = "l";
  ModelWeights weights;
  weights.files = {file, {}};
  weights.more = true;
  weights.parameters = 400;
  weights.by_type = file.by_type;
  weights.least_memory = Bytes(800);
  weights.in_smaller_types = {{"int8", Bytes(400)}};
  const Json json = EncodeModelWeights(weights);
  const auto read = DecodeModelWeights(json);
  ASSERT_TRUE(read);
  EXPECT_EQ(EncodeModelWeights(*read), json);
  EXPECT_EQ(read->files[0].training, Bytes(1600));
  EXPECT_EQ(read->files[0].format, WeightsFormat::kOnnx);
}

}  // namespace
}  // namespace mlprof
