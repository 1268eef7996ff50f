#include "server/app/token_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

class TokenFileTest : public ::testing::Test {
 protected:
  Result<std::string> Read(const std::string& content, fs::perms mode = fs::perms::owner_read) {
    fs::remove(folder_ / "token");
    std::ofstream(folder_ / "token") << content;
    fs::permissions(folder_ / "token", mode);
    return ReadTokenFile(folder_ / "token");
  }

  TemporaryDirectory folder_;
  const std::string secret_ = "mlp_" + std::string(64, 'a');
};

TEST_F(TokenFileTest, HoldsOneLine) {
  EXPECT_EQ(Read(secret_ + "\n").value(), secret_);
  EXPECT_EQ(Read(secret_).value(), secret_);
}

TEST_F(TokenFileTest, IsRefusedWhereOthersMayReadIt) {
  for (const fs::perms mode : {fs::perms::group_read, fs::perms::others_read}) {
    const auto token = Read(secret_, fs::perms::owner_read | mode);
    ASSERT_FALSE(token);
    EXPECT_NE(token.error().message().find("chmod 600"), std::string::npos);
  }
}

TEST_F(TokenFileTest, IsRefusedWithoutASecretInIt) {
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string("short"), std::string(31, 'a'),
        secret_ + "\n" + secret_, secret_ + " ", std::string(5000, 'a')}) {
    EXPECT_FALSE(Read(content)) << content;
  }
  EXPECT_FALSE(ReadTokenFile(folder_ / "none"));
  EXPECT_FALSE(ReadTokenFile(folder_.path()));
}

}  // namespace
}  // namespace mlprof::server
