// Databases that are not what was written, and disks that fail while they are.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "server/storage/database.h"
#include "server/storage/integrity_check.h"
#include "server/storage/lost_database.h"
#include "server/storage/statement.h"
#include "tests/fakes/failing_sync.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof {
namespace {

constexpr Migration kWords[] = {{1, "words", R"sql(
  CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL) STRICT;
  CREATE INDEX words_by_word ON words (word);
  INSERT INTO words (word) VALUES ('apple'), ('banana'), ('cherry');)sql"}};

class DatabaseDamageTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Open()); }

  Result<std::unique_ptr<Database>> Open(DatabaseOptions options = {}) {
    options.migrations = kWords;
    return Database::Open(file_, options);
  }
  static Status Insert(Database& database, const std::string& word) {
    return database.Write([&](Connection& connection) {
      return Statement(connection, "INSERT INTO words (word) VALUES (:word)")
          .Bind(":word", word)
          .Run();
    });
  }
  static bool Has(Database& database, const std::string& word) {
    return database
        .Read([&](Connection& connection) {
          return Statement(connection, "SELECT 1 FROM words WHERE word = :word")
              .Bind(":word", word)
              .Step();
        })
        .value_or(false);
  }
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TemporaryDirectory folder_;
  const std::filesystem::path file_ = folder_ / "mlprof.db";
};

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

TEST_F(DatabaseDamageTest, WritesNoMoreAfterACommitThatDidNotReachTheDisk) {
  const auto open = Open();
  {
    const FailingSync failing("mlprof.db-wal");
    EXPECT_FALSE(Insert(**open, "damson"));
  }
  EXPECT_FALSE((*open)->Health());
  EXPECT_FALSE(Insert(**open, "elder"));
}

// After an fsync that failed, the next one tells of nothing: the pages may never have been written,
// and the -wal is the only good copy of them.
TEST_F(DatabaseDamageTest, KeepsTheWalWhenACheckpointDidNotReachTheDisk) {
  {
    const auto open = Open();
    const FailingSync failing("mlprof.db");
    for (int i = 0; (*open)->Health() && i < 3; ++i) {
      static_cast<void>((*open)->Write([](Connection& connection) {
        return connection.Execute(
            "CREATE TABLE IF NOT EXISTS big (x BLOB); INSERT INTO big VALUES (zeroblob(8000000))");
      }));
    }
    EXPECT_FALSE((*open)->Health());
    EXPECT_FALSE(Insert(**open, "damson"));
  }
  EXPECT_GT(std::filesystem::file_size(folder_ / "mlprof.db-wal"), 8'000'000u);
  const auto again = Open();
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(Insert(**again, "damson"));
}

TEST_F(DatabaseDamageTest, TellsAWriteThatTheDiskRefusesAndGoesOnAfterIt) {
  const auto open = Open();
  rlimit most{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &most), 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = most;
  small.rlim_cur = std::filesystem::file_size(folder_ / "mlprof.db-wal");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status refused = Insert(**open, std::string(20'000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &most), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_FALSE(refused);
  EXPECT_TRUE((*open)->Health());
  EXPECT_TRUE(Insert(**open, "damson"));
  EXPECT_TRUE(Has(**open, "damson"));
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
}  // namespace mlprof
