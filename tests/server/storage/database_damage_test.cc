// Databases that are not what was written.
#include <gtest/gtest.h>

#include "server/storage/data_directory.h"
#include "server/storage/database.h"
#include "server/storage/integrity_check.h"
#include "server/storage/statement.h"
#include "tests/server/storage/words_database.h"

namespace mlprof::server {
namespace {

using DatabaseDamageTest = WordsDatabaseTest;

TEST_F(DatabaseDamageTest, RefusesADamagedIndexAndLeavesAllAsItIs) {
  ASSERT_TRUE(FlipBit(file_, "words_by_word", "banana"));
  const std::string before = BytesOf(file_);
  const auto refused = Open();
  ASSERT_FALSE(refused);
  const std::string& message = refused.error().message();
  EXPECT_NE(message.find("row 2 missing from index words_by_word"), std::string::npos) << message;
  EXPECT_NE(message.find("cp -a BACKUP " + folder_.path().string()), std::string::npos) << message;
  EXPECT_NE(message.find("--repair-indexes"), std::string::npos) << message;
  EXPECT_EQ(BytesOf(file_), before);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(DatabaseDamageTest, MakesIndexesAnewWhenAskedTo) {
  ASSERT_TRUE(FlipBit(file_, "words_by_word", "banana"));
  {
    const auto repaired = Open({.repair_indexes = true});
    ASSERT_TRUE(repaired) << repaired.error().message();
    EXPECT_TRUE((*repaired)->checked());
    EXPECT_TRUE(Has(**repaired, "banana"));
  }
  EXPECT_TRUE(Open());
}

TEST_F(DatabaseDamageTest, RepairsNothingButIndexes) {
  std::string bytes = BytesOf(file_);
  const std::size_t page = RootOffset(file_, "words");
  bytes.replace(page, kPageBytes, kPageBytes, '\0');
  WriteBytes(file_, bytes);
  const auto refused = Open({.repair_indexes = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message().find("--repair-indexes"), std::string::npos)
      << refused.error().message();
  EXPECT_EQ(BytesOf(file_), bytes);
}

TEST_F(DatabaseDamageTest, TakesATableThatLostARowForNoDamagedIndex) {
  const IntegrityReport lost{true, {"wrong # of entries in index words_by_word"}};
  EXPECT_FALSE(lost.OnlyIndexes());
  const IntegrityReport index{
      true,
      {"row 2 missing from index words_by_word", "wrong # of entries in index words_by_word"}};
  EXPECT_TRUE(index.OnlyIndexes());
  const IntegrityReport both{true, {"row 2 missing from index a", "wrong # of entries in index b"}};
  EXPECT_FALSE(both.OnlyIndexes());
}

TEST_F(DatabaseDamageTest, SeesDamageThatIsInTheWalOnly) {
  const TemporaryDirectory copy;
  const std::filesystem::path copied = copy / "mlprof.db";
  {
    const auto open = Open();
    ASSERT_TRUE(Insert(**open, "damson"));
    for (const char* name : {"mlprof.db", "mlprof.db-wal"}) {
      std::filesystem::copy(folder_ / name, copy / name);
    }
  }
  {
    // The index loses a row, and the -wal stays unfolded.
    const auto writer = Connection::Open(copied, Access::kReadWrite).value();
    ASSERT_TRUE(writer->Execute("PRAGMA wal_autocheckpoint=0"));
    ASSERT_TRUE(Statement(*writer, "INSERT INTO words (word) VALUES ('elder')").Run());
  }
  ASSERT_TRUE(FlipBit(copied, "words_by_word", "banana"));
  EXPECT_FALSE(Database::Open(copied, {.migrations = kWords}));
}

TEST_F(DatabaseDamageTest, TakesAFileThatAJournalRollsBackForNoDamage) {
  const TemporaryDirectory copy;
  {
    const auto writer = Connection::Open(file_, Access::kReadWrite).value();
    ASSERT_TRUE(writer->Execute(R"sql(
      PRAGMA journal_mode=DELETE;
      PRAGMA cache_size=2;
      BEGIN;
      INSERT INTO words (word) SELECT hex(randomblob(1000)) FROM
        (WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 200)
         SELECT x FROM n))sql"));
    for (const char* name : {"mlprof.db", "mlprof.db-journal"}) {
      std::filesystem::copy(folder_ / name, copy / name);
    }
  }
  const auto open = Database::Open(copy / "mlprof.db", {.migrations = kWords});
  ASSERT_TRUE(open) << open.error().message();
  EXPECT_TRUE(Has(**open, "banana"));
  EXPECT_TRUE((*open)->FinishCheck({}));
}

TEST_F(DatabaseDamageTest, RefusesARowWhoseParentIsGone) {
  constexpr Migration kFamily[] = {{1, "family", R"sql(
    CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id)) STRICT;
    INSERT INTO parents VALUES (1);
    INSERT INTO children VALUES (1, 1);)sql"}};
  const auto file = folder_ / "family.db";
  ASSERT_TRUE(Database::Open(file, {.migrations = kFamily}));
  {
    const auto writer = Connection::Open(file, Access::kReadWrite).value();
    ASSERT_TRUE(writer->Execute("PRAGMA foreign_keys=OFF; DELETE FROM parents"));
  }
  const auto refused = Database::Open(file, {.migrations = kFamily});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("a row of children refers to one of parents"),
            std::string::npos)
      << refused.error().message();
}

TEST_F(DatabaseDamageTest, StartsInTimeAndFinishesTheCheckLater) {
  const auto open = Open({.check_time = std::chrono::milliseconds(0)});
  ASSERT_TRUE(open) << open.error().message();
  EXPECT_FALSE((*open)->checked());
  EXPECT_TRUE(Insert(**open, "damson"));
  ASSERT_TRUE((*open)->FinishCheck({}));
  EXPECT_TRUE((*open)->checked());
}

// A check without an end: rows are looked for that a view never stops to give.
TEST_F(DatabaseDamageTest, EndsACheckThatIsUnderWayWhenItsTimeIsOver) {
  const auto connection = Connection::Open(folder_ / "endless.db", Access::kReadWrite).value();
  Statement right(*connection, "SELECT row_checksum('', '', 1, '', '', '')");
  ASSERT_TRUE(right.Step().value());
  const std::string view = R"sql(
    CREATE VIEW models AS
    WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n)
    SELECT '' AS workspace, '' AS name, x - x + 1 AS version, '' AS sha256, '' AS tags, '' AS document,
           ')sql" + right.Text(0) +
                           "' AS checksum FROM n";
  right.Reset();
  ASSERT_TRUE(connection->Execute(view.c_str()));
  const auto in_time = CheckIntegrity(*connection, Deadline::After(std::chrono::milliseconds(50)));
  ASSERT_TRUE(in_time) << in_time.error().message();
  EXPECT_FALSE(in_time->complete);
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  const auto stopped =
      CheckIntegrity(*connection, Deadline::After(std::chrono::hours(1)), stop.get_token());
  ASSERT_TRUE(stopped) << stopped.error().message();
  EXPECT_FALSE(stopped->complete);
}

TEST_F(DatabaseDamageTest, WritesNoMoreOnceTheLaterCheckFindsDamage) {
  ASSERT_TRUE(FlipBit(file_, "words_by_word", "banana"));
  const auto open = Open({.check_time = std::chrono::milliseconds(0)});
  ASSERT_TRUE(open) << open.error().message();
  EXPECT_TRUE((*open)->Health());
  const Status found = (*open)->FinishCheck({});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("words_by_word"), std::string::npos);
  EXPECT_FALSE((*open)->checked());
  EXPECT_FALSE((*open)->Health());
  EXPECT_FALSE(Insert(**open, "damson"));
}

TEST_F(DatabaseDamageTest, StopsTheLaterCheckWhenAskedTo) {
  const auto open = Open({.check_time = std::chrono::milliseconds(0)});
  ASSERT_TRUE(open);
  std::stop_source stop;
  stop.request_stop();
  const Status stopped = (*open)->FinishCheck(stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::kCancelled);
  EXPECT_FALSE((*open)->checked());
}

TEST_F(DatabaseDamageTest, WritesNoMoreOnceAReaderMeetsADamagedPage) {
  const auto open = Open();
  ASSERT_TRUE(open);
  std::string bytes = BytesOf(file_);
  bytes.replace(RootOffset(file_, "words_by_word"), kPageBytes, kPageBytes, '\xff');
  WriteBytes(file_, bytes);
  EXPECT_FALSE(Has(**open, "banana"));
  EXPECT_FALSE((*open)->Health());
  EXPECT_FALSE(Insert(**open, "damson"));
}

TEST_F(DatabaseDamageTest, ADataDirectoryWithoutItsDatabaseIsNotBegunAnew) {
  const TemporaryDirectory data;
  const auto directory = DataDirectory::Open(data.path()).value();
  EXPECT_TRUE(RefuseLostDatabase(directory));
  std::filesystem::create_directories(data / "content/sha256/ab");
  std::ofstream(data / "content/sha256/ab/abcd") << "a model";
  for (const bool empty : {false, true}) {
    if (empty) WriteBytes(data / "mlprof.db", "");
    const Status refused = RefuseLostDatabase(directory);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("cp -a BACKUP"), std::string::npos);
  }
  WriteBytes(data / "mlprof.db", "not empty");
  EXPECT_TRUE(RefuseLostDatabase(directory));
}

}  // namespace
}  // namespace mlprof::server
