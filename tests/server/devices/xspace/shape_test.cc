#include "server/devices/xspace/shape.h"

#include <gtest/gtest.h>

namespace mlprof::server::xspace {
namespace {

TEST(ShapeTest, APlainShapeTakesItsElements) {
  const auto shape = ParseShape("f32[100,50]");
  ASSERT_TRUE(shape);
  EXPECT_EQ(UnpaddedBytes(*shape), 20'000);
  EXPECT_EQ(PaddedBytes(*shape), 20'000);
}

TEST(ShapeTest, ATileRoundsUpTheTwoDimensionsItLiesOn) {
  const auto shape = ParseShape("f32[100,50]{1,0:T(8,128)}");
  ASSERT_TRUE(shape);
  EXPECT_EQ(PaddedBytes(*shape), 104 * 128 * 4);
  const auto turned = ParseShape("f32[100,50]{0,1:T(8,128)}");
  EXPECT_EQ(PaddedBytes(*turned), 128 * 56 * 4);
}

TEST(ShapeTest, APackedTypeIsReadWithItsInnerTileAndItsMemory) {
  const auto shape = ParseShape("bf16[4,100,200]{2,1,0:T(8,128)(2,1)S(1)}");
  ASSERT_TRUE(shape);
  EXPECT_EQ(PaddedBytes(*shape), 4 * 104 * 256 * 2);
  EXPECT_EQ(shape->memory_space, 1);
  EXPECT_EQ(Text(*shape), "bf16[4,100,200]{2,1,0:T(8,128)(2,1)S(1)}");
}

TEST(ShapeTest, WhatIsNoShapeIsNone) {
  for (const char* text :
       {"", "(f32[2], s32[])", "f32", "f32[", "f32[a]", "f32[2]{", "F[1]", "[2]"}) {
    EXPECT_FALSE(ParseShape(text)) << text;
  }
}

TEST(ShapeTest, ADimensionAtTheEndOfItsTypeDoesNotOverflow) {
  const auto shape = ParseShape("f32[9223372036854775807,3]{1,0:T(9223372036854775807,128)}");
  ASSERT_TRUE(shape);
  EXPECT_GT(PaddedBytes(*shape), UnpaddedBytes(*shape));
}

TEST(ShapeTest, BitsAreThoseOfTheTypesName) {
  EXPECT_EQ(BitsOf("bf16"), 16);
  EXPECT_EQ(BitsOf("f8e4m3fn"), 8);
  EXPECT_EQ(BitsOf("pred"), 8);
  EXPECT_EQ(BitsOf("s4"), 4);
  EXPECT_EQ(BitsOf("token"), 0);
}

}  // namespace
}  // namespace mlprof::server::xspace
