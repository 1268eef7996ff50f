#include "server/devices/xspace/instruction_text.h"

#include <gtest/gtest.h>

#include "server/devices/xspace/tensor_bytes.h"

namespace mlprof::server::xspace {
namespace {

TEST(InstructionTextTest, AnInstructionHasAResultAnOpcodeAndOperands) {
  const InstructionText text = SplitInstruction(
      "%fusion.1 = f32[100,50]{1,0:T(8,128)} fusion(bf16[100,200]{1,0:T(8,128)(2,1)} %p.0, f32[] "
      "%c), kind=kOutput, calls=%f[9]");
  EXPECT_EQ(text.result, "f32[100,50]{1,0:T(8,128)}");
  EXPECT_EQ(text.opcode, "fusion");
  const auto shapes = ShapesIn(text.operands);
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(Text(shapes[0]), "bf16[100,200]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(Text(shapes[1]), "f32[]");
}

TEST(InstructionTextTest, ATuplesShapesAreThoseOfItsParts) {
  const InstructionText text =
      SplitInstruction("%w = (f32[8,4]{1,0:T(8,128)}, (s32[], token[])) while((f32[1]) %t)");
  EXPECT_EQ(text.opcode, "while");
  EXPECT_EQ(ShapesIn(text.result).size(), 3U);
  EXPECT_EQ(ShapesIn(text.operands).size(), 1U);
}

TEST(InstructionTextTest, WhatIsNoInstructionHasNoParts) {
  for (const char* text : {"", "ampere_sgemm_128x64", "%a = ", "%a = (((", "= f32[2] dot("}) {
    EXPECT_TRUE(ShapesIn(SplitInstruction(text).operands).empty()) << text;
  }
  EXPECT_EQ(SplitInstruction("%a = f32[2] dot(f32[3] %b").operands, "f32[3] %b");  // it was cut
  EXPECT_TRUE(ShapesIn("[[[[ %p.[3] F[2] f32[-1] f32[2").empty());
}

TEST(InstructionTextTest, ShapesOfATextEndSomewhere) {
  std::string many, tiles = "f32[8,8]{1,0:T";
  for (int i = 0; i < 5'000; ++i) {
    many += "f32[8]{0} ";
    tiles += "(8,128)";
  }
  EXPECT_EQ(ShapesIn(many).size(), 64U);
  EXPECT_LE(ShapesIn(tiles + "}").size(), 1U);
}

double Padded(const Shape& shape) { return BytesOf(shape)->padded; }

TEST(TensorBytesTest, InBfloat16ATilesRowsDouble) {
  // 100 rows are 104 of 8 and 112 of 16; 50 columns are 128.
  const auto tiled = ParseShape("f32[100,50]{1,0:T(8,128)}");
  EXPECT_EQ(Padded(*tiled), 104 * 128 * 4);
  EXPECT_EQ(Padded(InBfloat16(*tiled)), 112 * 128 * 2);
  EXPECT_EQ(BytesOf(InBfloat16(*tiled))->unpadded, 100 * 50 * 2);
  const auto one_tile = ParseShape("f32[8,128]{1,0:T(8,128)}");
  EXPECT_EQ(Padded(InBfloat16(*one_tile)), Padded(*one_tile));
}

TEST(TensorBytesTest, InBfloat16WhatHasNoTilesTakesHalf) {
  EXPECT_EQ(Padded(InBfloat16(*ParseShape("f32[100,50]{1,0}"))), 100 * 50 * 2);
  EXPECT_EQ(Padded(InBfloat16(*ParseShape("f32[]"))), 2);
}

TEST(TensorBytesTest, WhatNoDeviceHoldsHasNoBytes) {
  const std::string long_dimension = "9223372036854775807";
  std::string endless = "f32[" + long_dimension;
  for (int i = 0; i < 40; ++i) endless += "," + long_dimension;
  for (const std::string& text :
       {endless + "]", endless + ",0]", std::string("token[]"), std::string("f32[0,5]"),
        "f32[2,2]{1,0:T(" + long_dimension + "," + long_dimension + ")}"}) {
    const auto shape = ParseShape(text);
    ASSERT_TRUE(shape) << text;
    EXPECT_FALSE(BytesOf(*shape)) << text;
    EXPECT_TRUE(!IsF32(*shape) || !BytesOf(InBfloat16(*shape))) << text;
  }
}

}  // namespace
}  // namespace mlprof::server::xspace
