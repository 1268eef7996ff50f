// A database of three words with an index, for tests that damage it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/storage/database.h"
#include "server/storage/statement.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {

inline constexpr Migration kWords[] = {{1, "words", R"sql(
  CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL) STRICT;
  CREATE INDEX words_by_word ON words (word);
  INSERT INTO words (word) VALUES ('apple'), ('banana'), ('cherry');)sql"}};

class WordsDatabaseTest : public testing::Test {
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

}  // namespace mlprof::server
