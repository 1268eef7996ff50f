#include "server/registry/gzip_source.h"

#include <gtest/gtest.h>

#include "tests/common/tar/memory_source.h"
#include "tests/server/registry/gzip_bytes.h"

namespace mlprof::server {
namespace {

Result<std::string> Unzip(const std::string& packed, std::size_t piece = 1000) {
  MemorySource inner(packed, piece);
  GzipSource source(inner);
  std::string all;
  std::string buffer(300'000, '\0');
  for (;;) {
    MLPROF_LET(got, source.Read(buffer));
    if (got == 0) return all;
    all.append(buffer, 0, got);
  }
}

TEST(GzipSourceTest, UnpacksOneOrMoreMembers) {
  const std::string text(100'000, 'a');
  EXPECT_EQ(Unzip(Gzip(text)).value(), text);
  EXPECT_EQ(Unzip(Gzip("a") + Gzip("") + Gzip("b"), 1).value(), "ab");
}

TEST(GzipSourceTest, RefusesEveryTruncation) {
  const std::string packed = Gzip("some text that is packed");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(Unzip(packed.substr(0, size))) << size;
  }
}

TEST(GzipSourceTest, RefusesDamageAndTrailingBytes) {
  std::string damaged = Gzip("some text that is packed");
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // its CRC
  EXPECT_FALSE(Unzip(damaged));
  EXPECT_FALSE(Unzip(Gzip("a") + "garbage"));
  EXPECT_FALSE(Unzip("no gzip at all"));
}

TEST(GzipSourceTest, RefusesABomb) {
  const auto refused = Unzip(Gzip(std::string(80 << 20, '\0')));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof::server
