#include "server/analysis/model_files/weights_summary.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

WeightsFile File(const std::string& path, WeightsFormat format, const std::string& type,
                 std::int64_t parameters, std::int64_t bytes) {
  WeightsFile file;
  file.path = path;
  file.format = format;
  file.size = Bytes(bytes + 100);
  file.tensors = 1;
  file.by_type = {{type, parameters, Bytes(bytes)}};
  return file;
}

TEST(WeightsSummaryTest, ShardsAreOneModel) {
  const auto weights = SummariseWeights(
      {File("m-00001-of-00002.safetensors", WeightsFormat::kSafetensors, "float32", 100, 400),
       File("m-00002-of-00002.safetensors", WeightsFormat::kSafetensors, "float16", 100, 200)});
  EXPECT_EQ(weights.parameters, 200);
  EXPECT_EQ(weights.least_memory, Bytes(600));
  for (const WeightsFile& file : weights.files) EXPECT_EQ(file.left_out, "");
}

TEST(WeightsSummaryTest, TheSameParametersInTwoFormatsCountOnce) {
  const auto weights = SummariseWeights(
      {File("pytorch_model.bin", WeightsFormat::kPyTorch, "float32", 1000, 4000),
       File("model.safetensors", WeightsFormat::kSafetensors, "float16", 1010, 2020)});
  EXPECT_EQ(weights.least_memory, Bytes(2020));
  ASSERT_EQ(weights.files.size(), 2U);
  EXPECT_EQ(weights.files[0].left_out, "");
  EXPECT_NE(weights.files[1].left_out.find("model.safetensors"), std::string::npos);
}

TEST(WeightsSummaryTest, TheSmallestPrecisionOfOneFormatCounts) {
  const auto weights =
      SummariseWeights({File("m.Q8_0.gguf", WeightsFormat::kGguf, "Q8_0", 1024, 1088),
                        File("m.Q4_0.gguf", WeightsFormat::kGguf, "Q4_0", 1024, 576)});
  EXPECT_EQ(weights.least_memory, Bytes(576));
}

TEST(WeightsSummaryTest, TheSameTypesInOtherSharesAreAnotherPrecision) {
  WeightsFile small = File("m.Q5_K_S.gguf", WeightsFormat::kGguf, "Q5_K", 1024, 704);
  WeightsFile medium = File("m.Q5_K_M.gguf", WeightsFormat::kGguf, "Q5_K", 512, 352);
  small.by_type.push_back({"Q6_K", 256, Bytes(210)});
  medium.by_type.push_back({"Q6_K", 768, Bytes(630)});
  EXPECT_EQ(SummariseWeights({small, medium}).least_memory, Bytes(914));
}

TEST(WeightsSummaryTest, SumsOfHostileFilesStayWithinBounds) {
  std::vector<WeightsFile> files;
  for (int i = 0; i < 500; ++i) {
    files.push_back(File("m" + std::to_string(i) + ".onnx", WeightsFormat::kOnnx, "int8",
                         std::int64_t{1} << 55, std::int64_t{1} << 55));
  }
  EXPECT_EQ(SummariseWeights(files).least_memory, Bytes(std::int64_t{1} << 55));
}

TEST(WeightsSummaryTest, MembersOfAnEnsembleAllCount) {
  const auto weights = SummariseWeights(
      {File("fold1/m.safetensors", WeightsFormat::kSafetensors, "float32", 50, 200),
       File("fold2/m.safetensors", WeightsFormat::kSafetensors, "float32", 50, 200)});
  EXPECT_EQ(weights.least_memory, Bytes(400));
}

TEST(WeightsSummaryTest, APickleCountsAtItsSize) {
  WeightsFile pickle;
  pickle.path = "m.pkl";
  pickle.size = Bytes(5000);
  const auto weights = SummariseWeights({pickle});
  EXPECT_EQ(weights.parameters, 0);
  EXPECT_EQ(weights.least_memory, Bytes(5000));
}

TEST(WeightsSummaryTest, WhatCannotBeReadBoundsNothing) {
  WeightsFile cut = File("m.safetensors", WeightsFormat::kSafetensors, "float32", 50, 200);
  cut.problem = "cut";
  EXPECT_FALSE(SummariseWeights({cut}).least_memory);
  EXPECT_FALSE(SummariseWeights({}).least_memory);
}

TEST(WeightsSummaryTest, SmallerTypesAreToldWhereTheySave) {
  WeightsFile file = File("m.safetensors", WeightsFormat::kSafetensors, "float32", 100, 400);
  file.by_type.push_back({"int64", 10, Bytes(80)});
  const auto weights = SummariseWeights({file});
  const std::vector<InSmallerType> expected = {
      {"bfloat16", Bytes(280)}, {"float16", Bytes(280)}, {"int8", Bytes(180)}};
  EXPECT_EQ(weights.in_smaller_types, expected);
  const auto half =
      SummariseWeights({File("m.safetensors", WeightsFormat::kSafetensors, "bfloat16", 100, 200)});
  ASSERT_EQ(half.in_smaller_types.size(), 1U);
  EXPECT_EQ(half.in_smaller_types[0], (InSmallerType{"int8", Bytes(100)}));
}

}  // namespace
}  // namespace mlprof::server
