#include "server/storage/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>

#include "server/storage/database.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

class TokensTest : public ::testing::Test {
 protected:
  TokensTest() { Reopen(); }
  void Reopen() {
    tokens_.reset();
    database_.reset();
    database_ = Database::Open(folder_ / "mlprof.db").value();
    tokens_ = TokenRepository::Open(*database_, [this] { return now_; }).value();
  }
  std::string Make(const std::string& name, Scope scope = Scope::kWrite,
                   std::optional<Timestamp> expires = std::nullopt) {
    return tokens_->Create({name, scope, expires}).value().secret;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Token& token : tokens_->List()) names.push_back(token.name);
    return names;
  }

  TemporaryDirectory folder_;
  Timestamp now_ = *ParseTimestamp("2026-11-21T10:00:00.000Z");
  std::unique_ptr<Database> database_;
  std::unique_ptr<TokenRepository> tokens_;
};

TEST_F(TokensTest, AllowsWhatTheirScopeSays) {
  const std::string reads = Make("reads", Scope::kRead);
  const std::string writes = Make("writes", Scope::kWrite);
  EXPECT_EQ(tokens_->Check(reads), Scope::kRead);
  EXPECT_EQ(tokens_->Check(writes), Scope::kWrite);
  for (const std::string& wrong :
       {std::string(), std::string("mlp_"), reads + "0", reads.substr(0, reads.size() - 1),
        "mlp_" + std::string(64, '0'), reads.substr(4), std::string(1 << 20, 'x')}) {
    EXPECT_EQ(tokens_->Check(wrong), std::nullopt);
  }
}

TEST_F(TokensTest, AreLongAndNeverTheSame) {
  const std::string first = Make("a");
  EXPECT_THAT(first, MatchesRegex("mlp_[0-9a-f]{64}"));
  EXPECT_NE(first, Make("b"));
}

TEST_F(TokensTest, OutliveTheServer) {
  const std::string secret = Make("a", Scope::kRead, now_ + std::chrono::hours(1));
  const Token before = tokens_->List().at(0);
  Reopen();
  EXPECT_EQ(tokens_->Check(secret), Scope::kRead);
  const Token after = tokens_->List().at(0);
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.created, before.created);
  EXPECT_EQ(after.expires, before.expires);
}

TEST_F(TokensTest, EndWhenTheyExpire) {
  const std::string secret = Make("a", Scope::kWrite, now_ + std::chrono::hours(1));
  now_ += std::chrono::hours(1) - std::chrono::milliseconds(1);
  EXPECT_EQ(tokens_->Check(secret), Scope::kWrite);
  EXPECT_TRUE(tokens_->HasValid());
  now_ += std::chrono::milliseconds(1);
  EXPECT_EQ(tokens_->Check(secret), std::nullopt);
  EXPECT_FALSE(tokens_->HasValid());
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(TokensTest, EndWhenTheyAreRevoked) {
  const std::string first = Make("a");
  const std::string second = Make("b");
  ASSERT_TRUE(tokens_->Revoke("a"));
  EXPECT_EQ(tokens_->Check(first), std::nullopt);
  EXPECT_EQ(tokens_->Check(second), Scope::kWrite);
  ASSERT_TRUE(tokens_->Revoke(tokens_->List().at(0).id));
  EXPECT_EQ(tokens_->Check(second), std::nullopt);
  EXPECT_EQ(tokens_->Revoke("a").error().code(), ErrorCode::kNotFound);
  Reopen();
  EXPECT_EQ(tokens_->Check(first), std::nullopt);
  EXPECT_FALSE(tokens_->HasValid());
}

TEST_F(TokensTest, AreListedNewestFirst) {
  Make("a");
  Make("b");
  Make("c");
  EXPECT_THAT(Names(), ElementsAre("c", "b", "a"));
  Reopen();
  EXPECT_THAT(Names(), ElementsAre("c", "b", "a"));
}

TEST_F(TokensTest, NeedANameOfTheirOwn) {
  Make("a");
  EXPECT_EQ(tokens_->Create({"a"}).error().code(), ErrorCode::kConflict);
  for (const char* name : {"", "-a", "a b", "a/b"}) {
    EXPECT_EQ(tokens_->Create({name}).error().code(), ErrorCode::kInvalidArgument) << name;
  }
  ASSERT_TRUE(tokens_->Revoke("a"));
  EXPECT_TRUE(tokens_->Create({"a"}));
}

TEST_F(TokensTest, AreRevokedByIdBeforeByName) {
  Make("a");
  const std::string id = tokens_->List().at(0).id;
  const std::string named_so = Make(id);
  ASSERT_TRUE(tokens_->Revoke(id));
  EXPECT_EQ(tokens_->Check(named_so), Scope::kWrite);
}

TEST_F(TokensTest, NoteTheDayOfTheirLastUse) {
  const std::string secret = Make("a");
  EXPECT_EQ(tokens_->List().at(0).last_used_day, "");
  tokens_->Check(secret);
  EXPECT_EQ(tokens_->List().at(0).last_used_day, "2026-11-21");
  now_ += std::chrono::hours(24);
  tokens_->Check(secret);
  Reopen();
  EXPECT_EQ(tokens_->List().at(0).last_used_day, "2026-11-22");
}

TEST_F(TokensTest, AreWrittenOnceADayHoweverOftenUsed) {
  const std::string secret = Make("a");
  int writes = 0;
  database_->ObserveWrites([&](std::chrono::nanoseconds) { ++writes; });
  for (int i = 0; i < 100; ++i) tokens_->Check(secret);
  EXPECT_EQ(writes, 1);
}

TEST_F(TokensTest, LeaveNoSecretInTheDatabase) {
  const std::string secret = Make("a");
  tokens_->Check(secret);
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    std::ostringstream content;
    content << std::ifstream(file.path()).rdbuf();
    EXPECT_EQ(content.str().find(secret.substr(4)), std::string::npos) << file.path();
  }
}

TEST_F(TokensTest, MayBeGivenWithoutBeingStored) {
  const std::string secret = "mlp_" + std::string(64, 'a');
  tokens_->AddUnstored(secret);
  EXPECT_EQ(tokens_->Check(secret), Scope::kWrite);
  EXPECT_TRUE(tokens_->HasValid());
  EXPECT_TRUE(tokens_->List().empty());
  EXPECT_FALSE(tokens_->Revoke(""));
  Reopen();
  EXPECT_EQ(tokens_->Check(secret), std::nullopt);
}

TEST_F(TokensTest, AreAtMostAThousand) {
  for (int i = 0; i < 1000; ++i) Make("t" + std::to_string(i));
  EXPECT_EQ(tokens_->Create({"more"}).error().code(), ErrorCode::kResourceExhausted);
}

TEST_F(TokensTest, AreCheckedAndRevokedFromManyThreads) {
  const std::string stays = Make("stays");
  std::vector<std::string> secrets;
  for (int i = 0; i < 20; ++i) secrets.push_back(Make("t" + std::to_string(i)));
  std::atomic<bool> done = false;
  std::jthread checks([&] {
    while (!done) EXPECT_EQ(tokens_->Check(stays), Scope::kWrite);
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(tokens_->Revoke("t" + std::to_string(i)));
    EXPECT_EQ(tokens_->Check(secrets[static_cast<std::size_t>(i)]), std::nullopt);
  }
  done = true;
}

}  // namespace
}  // namespace mlprof::server
