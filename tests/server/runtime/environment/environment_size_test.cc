#include "server/runtime/environment/environment_size.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "common/os/remove_tree.h"
#include "tests/fakes/soon.h"

namespace mlprof::server::environment {
namespace {

namespace fs = std::filesystem;

using fakes::Soon;

class EnvironmentSizeTest : public ::testing::Test {
 protected:
  EnvironmentSizeTest() {
    char name[] = "/tmp/size-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~EnvironmentSizeTest() override { EXPECT_TRUE(RemoveTree(folder_, Soon())); }
  fs::path folder_;
};

TEST_F(EnvironmentSizeTest, CountsWholeBlocksAndFiles) {
  for (int i = 0; i < 1'000; ++i) std::ofstream(folder_ / std::to_string(i)) << 'x';
  const auto size = SizeOfEnvironment(folder_, {MiB(64), 4'000}, Soon());
  ASSERT_TRUE(size) << size.error().message();
  EXPECT_EQ(size->bytes, Bytes(1'000L * 4096));
  EXPECT_EQ(size->files, 1'000);
}

TEST_F(EnvironmentSizeTest, RefusesHolesLargerThanTheLimit) {
  for (const char* name : {"a", "b"}) {
    std::ofstream(folder_ / name).close();
    fs::resize_file(folder_ / name, std::uintmax_t(1) << 43);
  }
  const auto size = SizeOfEnvironment(folder_, {GiB(10), 100}, Soon());
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code(), ErrorCode::kTooLarge);
}

TEST_F(EnvironmentSizeTest, RefusesMoreFilesThanTheLimitHolds) {
  for (int i = 0; i < 1'100; ++i) std::ofstream(folder_ / std::to_string(i)).close();
  const auto size = SizeOfEnvironment(folder_, {MiB(16), 1'000}, Soon());
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof::server::environment
