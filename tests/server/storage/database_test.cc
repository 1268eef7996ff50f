#include "server/storage/database.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <future>
#include <thread>

#include "server/storage/data_directory.h"
#include "server/storage/statement.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

constexpr Migration kTable[] = {{1, "t", "CREATE TABLE t (x INTEGER UNIQUE) STRICT;"}};

Status Insert(Database& database, std::int64_t value) {
  return database.Write([&](Connection& connection) {
    return Statement(connection, "INSERT INTO t (x) VALUES (:x)").Bind(":x", value).Run();
  });
}

std::int64_t Count(Database& database) {
  return database
      .Read([](Connection& connection) -> Result<std::int64_t> {
        Statement row(connection, "SELECT count(*) FROM t");
        if (const auto found = row.Step(); !found) return Fail(found.error());
        return row.Int(0);
      })
      .value_or(-1);
}

TEST(DatabaseTest, RollsBackWhatEndsInAnError) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  const Status status = database->Write([](Connection& connection) -> Status {
    MLPROF_TRY(connection.Execute("INSERT INTO t VALUES (1)"));
    return Fail(Conflict("changed my mind"));
  });
  EXPECT_EQ(status.error().code(), ErrorCode::kConflict);
  EXPECT_EQ(Count(*database), 0);
}

TEST(DatabaseTest, ReadersCannotWrite) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  const Status status = database->Read(
      [](Connection& connection) { return connection.Execute("INSERT INTO t VALUES (1)"); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
}

TEST(DatabaseTest, AReaderSeesOneConsistentView) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  const Status status = database->Read([&](Connection& connection) -> Status {
    Statement before(connection, "SELECT count(*) FROM t");
    EXPECT_TRUE(before.Step().value());
    before.Reset();
    EXPECT_TRUE(Insert(*database, 1));
    EXPECT_TRUE(before.Step().value());
    EXPECT_EQ(before.Int(0), 0);
    return {};
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(Count(*database), 1);
}

TEST(DatabaseTest, TakesWritesFromManyThreads) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(Insert(*database, thread * 100 + i));
        EXPECT_GE(Count(*database), 5);
      });
    }
  }
  EXPECT_EQ(Count(*database), 20);
}

TEST(DatabaseTest, TellsAConflictFromOtherErrors) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  ASSERT_TRUE(Insert(*database, 1));
  EXPECT_EQ(Insert(*database, 1).error().code(), ErrorCode::kConflict);
}

TEST(DatabaseTest, ReportsAFullDatabaseAsUnavailable) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  ASSERT_TRUE(database->Write([](Connection& c) { return c.Execute("PRAGMA max_page_count=4"); }));
  const Status status = database->Write([](Connection& connection) {
    return connection.Execute(
        "CREATE TABLE big (x BLOB) STRICT; INSERT INTO big VALUES (randomblob(1000000))");
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
}

TEST(DatabaseTest, ObservesEveryWrite) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  int writes = 0;
  database->ObserveWrites([&](std::chrono::nanoseconds) { ++writes; });
  ASSERT_TRUE(Insert(*database, 1));
  EXPECT_EQ(writes, 1);
}

// The child commits one row, then dies by SIGKILL in the middle of the next transaction.
TEST(DatabaseTest, KeepsWhatWasCommittedBeforeAKill) {
  const TemporaryDirectory folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
    if (!Insert(*database, 1)) _exit(1);
    static_cast<void>(database->Write([](Connection& connection) -> Status {
      MLPROF_TRY(connection.Execute("INSERT INTO t VALUES (2)"));
      kill(getpid(), SIGKILL);
      return {};
    }));
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto database = Database::Open(folder / "a.db", {.migrations = kTable}).value();
  EXPECT_EQ(Count(*database), 1);
  ASSERT_TRUE(Insert(*database, 2));
}

TEST(DataDirectoryTest, IsPrivateAndLocked) {
  const TemporaryDirectory folder;
  const auto held = DataDirectory::Open(folder / "data");
  ASSERT_TRUE(held);
  EXPECT_EQ(std::filesystem::status(folder / "data").permissions(),
            std::filesystem::perms::owner_all);
  const auto second = DataDirectory::Open(folder / "data", std::chrono::milliseconds(1));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(second.error().message().find((folder / "data").string()), std::string::npos);
  EXPECT_NE(second.error().message().find(std::to_string(getpid())), std::string::npos);
}

TEST(DataDirectoryTest, CanBeOpenedAgainOnceItsHolderHasGone) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(DataDirectory::Open(folder / "data"));
  EXPECT_TRUE(DataDirectory::Open(folder / "data"));
}

TEST(DataDirectoryTest, WaitsForAHolderThatIsAboutToEnd) {
  const TemporaryDirectory folder;
  auto held = DataDirectory::Open(folder / "data");
  ASSERT_TRUE(held);
  auto second = std::async(std::launch::async, [&] {
    return DataDirectory::Open(folder / "data", std::chrono::seconds(30)).has_value();
  });
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  { const auto gone = std::move(*held); }
  EXPECT_TRUE(second.get());
}

TEST(DataDirectoryTest, TouchesNothingInAFolderOfSomebodyElse) {
  const TemporaryDirectory folder;
  const auto stranger = folder / "photos";
  for (const char* name : {"incoming", "scratch", "run", "trees", "content"}) {
    std::filesystem::create_directories(stranger / name);
    std::ofstream(stranger / name / "mine") << "mine";
  }
  std::filesystem::permissions(stranger, std::filesystem::perms(0755));
  const auto refused = DataDirectory::Open(stranger);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message().find("--data-dir"), std::string::npos);
  EXPECT_EQ(std::filesystem::status(stranger).permissions(), std::filesystem::perms(0755));
  EXPECT_FALSE(std::filesystem::exists(stranger / "lock"));
  EXPECT_TRUE(std::filesystem::exists(stranger / "incoming" / "mine"));
}

TEST(DataDirectoryTest, AdoptsADirectoryThatWasMadeBeforeTheyWereMarked) {
  const TemporaryDirectory folder;
  const auto old = folder / "data";
  std::filesystem::create_directories(old / "content" / "sha256");
  std::ofstream(old / "lock") << "1\n";
  ASSERT_FALSE(DataDirectory::Open(old)) << "without a database it could be anybody's";
  ASSERT_TRUE(Database::Open(old / "mlprof.db", {.migrations = kTable}));
  ASSERT_TRUE(DataDirectory::Open(old));
  EXPECT_TRUE(std::filesystem::exists(old / "instance.json"));
  std::filesystem::remove(old / "mlprof.db");
  EXPECT_TRUE(DataDirectory::Open(old)) << "it is marked now";
}

TEST(DataDirectoryTest, TakesAnEmptyFolderAndOneTheCommandLineHasPrepared) {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder / "empty" / "lost+found");
  EXPECT_TRUE(DataDirectory::Open(folder / "empty"));
  std::filesystem::create_directories(folder / "prepared");
  std::ofstream(folder / "prepared" / "server.token") << "t";
  std::ofstream(folder / "prepared" / "users.lock") << "";
  EXPECT_TRUE(DataDirectory::Open(folder / "prepared"));
}

TEST(DataDirectoryTest, SaysWhyItCannotBeMade) {
  const auto failed = DataDirectory::Open("/proc/nowhere/data");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("/proc/nowhere/data"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
