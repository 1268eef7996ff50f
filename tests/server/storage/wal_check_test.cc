#include "server/storage/wal_check.h"

#include <gtest/gtest.h>

#include "server/storage/database.h"
#include "server/storage/statement.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

constexpr Migration kPlainTable[] = {{1, "t", "CREATE TABLE t (x INTEGER) STRICT;"}};
constexpr int kCommits = 5;
constexpr std::size_t kFrame = 24 + kPageBytes;

// A database as a kill leaves it, with five commits of one row in its -wal.
class WalCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    const TemporaryDirectory running;
    const auto database =
        Database::Open(running / "mlprof.db", {.migrations = kPlainTable}).value();
    for (int i = 0; i < kCommits; ++i) {
      ASSERT_TRUE(database->Write(
          [](Connection& connection) { return connection.Execute("INSERT INTO t VALUES (1)"); }));
    }
    for (const char* name : {"mlprof.db", "mlprof.db-wal"}) {
      fs::copy(running / name, folder_ / name);
    }
    bytes_ = BytesOf(wal_);
    ASSERT_GT(bytes_.size(), kCommits * kFrame);
  }
  void Flip(std::size_t at) {
    std::string bytes = bytes_;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    WriteBytes(wal_, bytes);
  }
  Result<std::unique_ptr<Database>> Open() {
    return Database::Open(file_, {.migrations = kPlainTable});
  }
  std::int64_t Rows() {
    const auto database = Open().value();
    return database
        ->Read([](Connection& connection) -> Result<std::int64_t> {
          Statement row(connection, "SELECT count(*) FROM t");
          if (const auto found = row.Step(); !found) return Fail(found.error());
          return row.Int(0);
        })
        .value_or(-1);
  }

  TemporaryDirectory folder_;
  const fs::path file_ = folder_ / "mlprof.db";
  const fs::path wal_ = folder_ / "mlprof.db-wal";
  std::string bytes_;
};

TEST_F(WalCheckTest, PassesAWalAsAKillLeavesIt) {
  EXPECT_FALSE(FindWalBreak(wal_).value());
  EXPECT_EQ(Rows(), kCommits);
}

TEST_F(WalCheckTest, PassesAWalThatEndsInTheMiddleOfAFrame) {
  WriteBytes(wal_, bytes_.substr(0, bytes_.size() - 100));
  EXPECT_FALSE(FindWalBreak(wal_).value());
  EXPECT_EQ(Rows(), kCommits - 1);
}

// The power failed while it was written: nobody was told that it is there.
TEST_F(WalCheckTest, LeavesOutALastCommitThatIsNotWhole) {
  Flip(bytes_.size() - 100);
  EXPECT_EQ(FindWalBreak(wal_).value()->commits, 1);
  EXPECT_EQ(Rows(), kCommits - 1);
}

TEST_F(WalCheckTest, RefusesAWalThatLostCommitsAndSaysHowToGoBack) {
  Flip(bytes_.size() - 2 * kFrame - 100);  // in the third commit
  const std::string before = BytesOf(wal_);
  const auto refused = Open();
  ASSERT_FALSE(refused);
  const std::string& message = refused.error().message();
  const std::uint64_t good = bytes_.size() - 3 * kFrame;
  EXPECT_NE(message.find("3 commits behind byte " + std::to_string(good)), std::string::npos)
      << message;
  EXPECT_NE(message.find("truncate -s " + std::to_string(good)), std::string::npos) << message;
  EXPECT_EQ(BytesOf(wal_), before);
  fs::resize_file(wal_, good);
  EXPECT_EQ(Rows(), kCommits - 3);
}

TEST_F(WalCheckTest, RefusesAWalWhoseHeaderIsDamaged) {
  for (std::size_t at = 0; at < 32; ++at) {
    Flip(at);
    EXPECT_FALSE(Open()) << at;
  }
}

}  // namespace
}  // namespace mlprof::server
