// Each format as its own library writes it. The numbers are those of make.py.
#include <gtest/gtest.h>

#include "tests/server/analysis/model_files/golden_file.h"

namespace mlprof::server {
namespace {

void ExpectTypes(const std::optional<WeightsFile>& file, WeightsFormat format,
                 const std::vector<TypedParameters>& by_type) {
  ASSERT_TRUE(file);
  EXPECT_EQ(file->problem, "");
  EXPECT_EQ(Name(file->format), Name(format));
  ASSERT_EQ(file->by_type.size(), by_type.size());
  for (std::size_t i = 0; i < by_type.size(); ++i) {
    EXPECT_EQ(file->by_type[i].type, by_type[i].type);
    EXPECT_EQ(file->by_type[i].parameters, by_type[i].parameters) << by_type[i].type;
    EXPECT_EQ(file->by_type[i].bytes, by_type[i].bytes) << by_type[i].type;
  }
}

TEST(GoldenFilesTest, SafetensorsTellEachTensorsType) {
  const auto file = WeightsOf("model.safetensors");
  ExpectTypes(file, WeightsFormat::kSafetensors,
              {{"float32", 64, Bytes(256)}, {"float16", 7, Bytes(14)}, {"int8", 6, Bytes(6)}});
  EXPECT_EQ(file->tensors, 3);
}

TEST(GoldenFilesTest, GgufCountsQuantisedBlocks) {
  const auto file = WeightsOf("model.gguf");
  ExpectTypes(
      file, WeightsFormat::kGguf,
      {{"float32", 192, Bytes(768)}, {"Q4_0", 256, Bytes(144)}, {"float16", 64, Bytes(128)}});
  EXPECT_EQ(file->tensors, 3);
}

TEST(GoldenFilesTest, OnnxCountsInitializersAndTheConstantsOfSubgraphs) {
  ExpectTypes(WeightsOf("model.onnx"), WeightsFormat::kOnnx,
              {{"float32", 34, Bytes(136)}, {"int64", 9, Bytes(72)}, {"float16", 2, Bytes(4)}});
}

TEST(GoldenFilesTest, OnnxCountsWhatLiesInAFileBesideIt) {
  ExpectTypes(WeightsOf("external.onnx"), WeightsFormat::kOnnx,
              {{"float32", 34, Bytes(136)}, {"int64", 9, Bytes(72)}, {"float16", 2, Bytes(4)}});
}

TEST(GoldenFilesTest, ASavedModelsVariablesAreCountedWithoutItsTexts) {
  ExpectTypes(WeightsOf("saved_model/variables/variables.index"), WeightsFormat::kTensorFlow,
              {{"float32", 60, Bytes(240)}, {"bfloat16", 3, Bytes(6)}});
}

TEST(GoldenFilesTest, AnOptimizersStateIsToldApart) {
  const auto file = WeightsOf("checkpoint/ckpt.index");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->problem, "");
  ASSERT_TRUE(file->training);
  // Adam keeps two numbers of 4 bytes for each of 15 parameters, its step and its rate.
  EXPECT_EQ(Parameters(file->by_type), 15);
  EXPECT_GE(*file->training, Bytes(120));
}

TEST(GoldenFilesTest, PyTorchsArchivesTellEachStoragesType) {
  ExpectTypes(WeightsOf("state.pt"), WeightsFormat::kPyTorch,
              {{"float32", 36, Bytes(144)}, {"float16", 10, Bytes(20)}});
  ExpectTypes(WeightsOf("checkpoint.pt"), WeightsFormat::kPyTorch,
              {{"float32", 36, Bytes(144)}, {"float16", 10, Bytes(20)}});
  ExpectTypes(WeightsOf("script.pt"), WeightsFormat::kPyTorch, {{"float32", 36, Bytes(144)}});
}

TEST(GoldenFilesTest, PyTorchsOldFormatSaysThatItIsNotRead) {
  const auto file = WeightsOf("legacy.pt");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->format, WeightsFormat::kPyTorch);
  EXPECT_NE(file->problem.find("before 1.6"), std::string::npos);
}

TEST(GoldenFilesTest, NumPysArraysAreReadAloneAndInArchives) {
  ExpectTypes(WeightsOf("array.npy"), WeightsFormat::kNumPy, {{"float32", 15, Bytes(60)}});
  ExpectTypes(WeightsOf("arrays.npz"), WeightsFormat::kNumPy,
              {{"float64", 32, Bytes(256)}, {"int32", 8, Bytes(32)}});
}

TEST(GoldenFilesTest, AnArchiveThatIsCompressedCountsUnpacked) {
  ExpectTypes(WeightsOf("packed.npz"), WeightsFormat::kNumPy, {{"float16", 1000, Bytes(2000)}});
}

TEST(GoldenFilesTest, APickleNamesWhatItHoldsAndIsNotExecuted) {
  EXPECT_EQ(WeightsOf("forest.pkl")->object, "sklearn.ensemble._forest.RandomForestClassifier");
  EXPECT_EQ(WeightsOf("forest.joblib")->object, "sklearn.ensemble._forest.RandomForestClassifier");
  EXPECT_EQ(WeightsOf("forest.pkl")->problem, "");
  EXPECT_EQ(WeightsOf("forest.joblib")->problem, "");
}

TEST(GoldenFilesTest, ACompressedPickleSaysThatItsSizeIsNotKnown) {
  EXPECT_NE(WeightsOf("packed.joblib")->problem.find("compressed"), std::string::npos);
}

TEST(GoldenFilesTest, OtherFilesHoldNoParameters) {
  EXPECT_FALSE(WeightsOf("{\"a\": 1}", "config.json"));
  EXPECT_FALSE(WeightsOf("", "empty.bin"));
  EXPECT_FALSE(WeightsOf("\x80\x02 no pickle", "noise.bin"));
  EXPECT_FALSE(WeightsOf("saved_model/variables/variables.data-00000-of-00001"));
}

}  // namespace
}  // namespace mlprof::server
