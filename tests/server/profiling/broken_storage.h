// A database that fails a kind of write as a full disk would, until it is mended.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "server/storage/connection.h"

namespace mlprof::server {

class BrokenStorage {
 public:
  explicit BrokenStorage(const std::filesystem::path& database)
      : connection_(std::move(*Connection::Open(database, Access::kReadWrite))) {}
  ~BrokenStorage() { Mend(); }

  /// From here on these fail with kInternal, "integer overflow": "UPDATE ON profiles". `when` may
  /// say which rows.
  void Break(const std::string& write, const std::string& when = "") {
    const std::string sql = "CREATE TRIGGER broken BEFORE " + write + " " + when +
                            " BEGIN SELECT abs(-9223372036854775808); END";
    EXPECT_TRUE(connection_->Execute(sql.c_str()).has_value());
  }
  void Mend() { EXPECT_TRUE(connection_->Execute("DROP TRIGGER IF EXISTS broken").has_value()); }

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace mlprof::server
