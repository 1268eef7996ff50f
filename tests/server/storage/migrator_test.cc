#include "server/storage/migration.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "server/storage/database.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

constexpr Migration kFirst{1, "first", "CREATE TABLE a (x INTEGER) STRICT;"};
constexpr Migration kSecond{2, "second",
                            "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO b VALUES (7);"};
constexpr Migration kBroken{2, "broken", "CREATE TABLE b (x INTEGER) STRICT; NONSENSE;"};
constexpr Migration kOne[] = {kFirst};
constexpr Migration kTwo[] = {kFirst, kSecond};
constexpr Migration kTwoBroken[] = {kFirst, kBroken};

std::string Content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t FilesIn(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(MigratorTest, EmbedsEveryMigrationInOrder) {
  int expected = 1;
  for (const Migration& migration : EmbeddedMigrations()) {
    EXPECT_EQ(migration.version, expected++);
    EXPECT_FALSE(std::string(migration.sql).empty());
  }
  EXPECT_STREQ(EmbeddedMigrations().front().name, "workspaces");
}

TEST(MigratorTest, MakesAFreshDatabaseWithTheDefaultWorkspace) {
  const TemporaryDirectory folder;
  const auto database = Database::Open(folder / "mlprof.db");
  ASSERT_TRUE(database) << database.error().message();
  const auto workspaces = ListWorkspaces(**database);
  ASSERT_TRUE(workspaces);
  EXPECT_EQ(*workspaces, std::vector<std::string>{"default"});
}

TEST(MigratorTest, KeepsTheInstanceIdWhenOpenedAgain) {
  const TemporaryDirectory folder;
  const auto id = [&] { return InstanceId(**Database::Open(folder / "mlprof.db")).value(); };
  const std::string first = id();
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(id(), first);
}

TEST(MigratorTest, AppliesOnlyWhatIsMissing) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(Database::Open(folder / "mlprof.db", {.migrations = kOne}));
  const auto database = Database::Open(folder / "mlprof.db", {.migrations = kTwo});
  ASSERT_TRUE(database) << database.error().message();
  const auto value = (*database)->Read([](Connection& connection) -> Result<std::int64_t> {
    Statement row(connection, "SELECT x FROM b");
    if (!row.Step().value_or(false)) return Fail(NotFound("no row"));
    return row.Int(0);
  });
  EXPECT_EQ(value.value_or(0), 7);
}

TEST(MigratorTest, LeavesNothingOfAMigrationThatFails) {
  const TemporaryDirectory folder;
  const auto failed = Database::Open(folder / "mlprof.db", {.migrations = kTwoBroken});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("migration 2 (broken)"), std::string::npos);
  EXPECT_TRUE(Database::Open(folder / "mlprof.db", {.migrations = kTwo}));
}

TEST(MigratorTest, RefusesAChangedMigration) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(Database::Open(folder / "mlprof.db", {.migrations = kOne}));
  const Migration changed[] = {{1, "first", "CREATE TABLE a (y INTEGER) STRICT;"}};
  const auto refused = Database::Open(folder / "mlprof.db", {.migrations = changed});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("migration 1 (first)"), std::string::npos);
}

TEST(MigratorTest, LeavesANewerDatabaseByteForByteAsItIs) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(Database::Open(folder / "mlprof.db", {.migrations = kTwo}));
  const std::string before = Content(folder / "mlprof.db");
  const auto refused = Database::Open(folder / "mlprof.db", {.migrations = kOne});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("newer mlprof"), std::string::npos);
  EXPECT_EQ(Content(folder / "mlprof.db"), before);
  EXPECT_EQ(FilesIn(folder.path()), 1u);
}

TEST(MigratorTest, SeesANewerSchemaThatIsInTheWalOnly) {
  const TemporaryDirectory folder;
  const TemporaryDirectory copy;
  {
    const auto open = Database::Open(folder / "mlprof.db", {.migrations = kTwo});
    ASSERT_TRUE(open);
    // What a kill would leave: the files as they are while the database is open.
    for (const char* name : {"mlprof.db", "mlprof.db-wal"}) {
      std::filesystem::copy(folder / name, copy / name);
    }
  }
  const std::string wal = Content(copy / "mlprof.db-wal");
  ASSERT_FALSE(wal.empty());
  EXPECT_FALSE(Database::Open(copy / "mlprof.db", {.migrations = kOne}));
  EXPECT_EQ(Content(copy / "mlprof.db-wal"), wal);
  EXPECT_EQ(FilesIn(copy.path()), 2u);
  EXPECT_TRUE(Database::Open(copy / "mlprof.db", {.migrations = kTwo}));
}

TEST(MigratorTest, RefusesAFileThatIsNoDatabase) {
  const TemporaryDirectory folder;
  const std::string text(4096, 'x');
  std::ofstream(folder / "mlprof.db") << text;
  const auto refused = Database::Open(folder / "mlprof.db");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("backup"), std::string::npos);
  EXPECT_EQ(Content(folder / "mlprof.db"), text);
}

TEST(MigratorTest, RefusesADatabaseOfAnotherProgram) {
  const TemporaryDirectory folder;
  {
    const auto other = Connection::Open(folder / "mlprof.db", Access::kReadWrite);
    ASSERT_TRUE((*other)->Execute("CREATE TABLE theirs (x)"));
  }
  const auto refused = Database::Open(folder / "mlprof.db");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("none of mlprof's"), std::string::npos);
}

TEST(MigratorTest, TakesAnEmptyFileForAFreshDatabase) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "mlprof.db").close();
  EXPECT_TRUE(Database::Open(folder / "mlprof.db"));
}

}  // namespace
}  // namespace mlprof::server
