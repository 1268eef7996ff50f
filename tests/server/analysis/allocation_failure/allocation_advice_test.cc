#include "server/analysis/allocation_failure/allocation_advice.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

AllocationFailure OfTensorFlow() {
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kTensorFlow;
  failure.on_device = true;
  failure.asked = GiB(4);
  failure.shape = {256, 4096, 1024};
  failure.type = "float";
  return failure;
}

bool Says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(AllocationAdviceTest, TellsWhatASmallerTypeAndBatchGive) {
  const auto advice = AdviceFor(OfTensorFlow(), std::nullopt);
  ASSERT_GE(advice.size(), 3U);
  EXPECT_TRUE(Says(advice[0], "2 GiB instead of 4 GiB (estimated)")) << advice[0];
  EXPECT_TRUE(Says(advice[1], "one takes 16 MiB, and half of them 2 GiB")) << advice[1];
  EXPECT_TRUE(Says(advice.back(), "TF_FORCE_GPU_ALLOW_GROWTH"));
}

TEST(AllocationAdviceTest, TheGreatestGainComesFirst) {
  AllocationFailure failure = OfTensorFlow();
  failure.runtime = AllocatingRuntime::kXla;
  failure.padded = GiB(16);
  failure.unpadded = GiB(2);
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).front(), "14 GiB of 16 GiB"));
  failure.unpadded = Bytes(GiB(16).count() - 1);
  EXPECT_FALSE(Says(AdviceFor(failure, std::nullopt).front(), "padding"));
}

TEST(AllocationAdviceTest, ATypeThatIsSmallAlreadyIsNotToBeMadeSmaller) {
  AllocationFailure failure = OfTensorFlow();
  failure.type = "bfloat16";
  for (const std::string& text : AdviceFor(failure, std::nullopt)) {
    EXPECT_FALSE(Says(text, "this tensor takes")) << text;
  }
}

TEST(AllocationAdviceTest, DoublesTakeAQuarter) {
  AllocationFailure failure = OfTensorFlow();
  failure.type = "float64";
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).front(), "1 GiB instead of 4 GiB"));
}

TEST(AllocationAdviceTest, PyTorchsUnusedPiecesAreToldWhereTheyWouldDo) {
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kPyTorch;
  failure.on_device = true;
  failure.asked = GiB(2);
  failure.reserved = GiB(3);
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).front(), "holds 3 GiB unused"));
  failure.reserved = GiB(1);
  EXPECT_FALSE(Says(AdviceFor(failure, std::nullopt).front(), "unused"));
}

TEST(AllocationAdviceTest, ALimitOfTheContainerIsNoneOfTheDevices) {
  EXPECT_FALSE(Says(AdviceFor(OfTensorFlow(), MiB(512)).front(), "larger than the limit"));
}

TEST(AllocationAdviceTest, OfNothingKnownTheGeneralAdviceStays) {
  EXPECT_EQ(AdviceFor({}, MiB(512)).size(), 2U);
}

TEST(AllocationAdviceTest, ImagesOfHalfTheirSidesTakeAQuarter) {
  AllocationFailure failure;
  failure.asked = GiB(4);
  failure.shape = {64, 512, 512, 3};
  failure.type = "float";
  const auto advice = AdviceFor(failure, std::nullopt);
  EXPECT_TRUE(Says(advice.front(), "takes 1 GiB instead of 4 GiB (estimated), in grey a third"))
      << advice.front();
  failure.shape = {8, 12, 512, 512};
  EXPECT_FALSE(Says(AdviceFor(failure, std::nullopt).front(), "images")) << "attention";
  failure.shape = {3, 3, 512, 512};
  EXPECT_FALSE(Says(AdviceFor(failure, std::nullopt).front(), "images")) << "a filter";
  failure.shape = {32, 64, 256, 256};
  failure.op = "conv2_block1/Conv2D";
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).front(), "images"));
}

TEST(AllocationAdviceTest, EachRuntimeHasItsOwnMeans) {
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kPyTorch;
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).back(), "inference_mode"));
  failure.runtime = AllocatingRuntime::kTensorFlow;
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).back(), "tf.function"));
  failure.on_device = true;
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).back(), "memory_limit"));
  failure.runtime = AllocatingRuntime::kCpp;
  EXPECT_TRUE(Says(AdviceFor(failure, std::nullopt).back(), "smaller type"));
}

}  // namespace
}  // namespace mlprof::server
