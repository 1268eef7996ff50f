#include "common/hash/sha256.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

// FIPS 180-2, appendix B.
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256Test, HashesAsTheStandardSays) {
  EXPECT_EQ(Sha256Hex("abc"), kOfAbc);
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, HashesPieceByPiece) {
  Sha256 sha;
  sha.Add("a");
  sha.Add("");
  sha.Add("bc");
  EXPECT_EQ(sha.Hex(), kOfAbc);
}

TEST(Sha256Test, WritesHexWithLeadingZeros) {
  const unsigned char bytes[] = {0x00, 0x0f, 0xf0};
  EXPECT_EQ(ToHex(bytes), "000ff0");
}

}  // namespace
}  // namespace mlprof
