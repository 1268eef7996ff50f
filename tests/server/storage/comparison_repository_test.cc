#include "server/storage/comparison_repository.h"

#include <gtest/gtest.h>

#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/row_checksum.h"
#include "server/storage/statement.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

class ComparisonRepositoryTest : public ::testing::Test {
 protected:
  static Profile ProfileOf(const std::string& name) {
    Profile profile = ExampleProfile(name);
    profile.id = "id-" + name;
    return profile;
  }
  static ComparisonRecord Record(const std::string& name, const std::vector<Profile>& profiles) {
    ComparisonRecord record;
    record.id = "id-of-" + name;
    record.workspace = "default";
    record.created = Now();
    record.request.base.name = name;
    record.request.base.model_ids = {"m:1"};
    record.request.base.input_dataset_id = "d:1";
    for (const Profile& profile : profiles) {
      Variant variant;
      variant.name = profile.request.name;
      record.request.variants.push_back(variant);
      record.profile_ids.push_back(profile.id);
    }
    return record;
  }
  Result<CreatedComparison> Create(const std::string& name, const std::vector<Profile>& profiles,
                                   const IdempotencyKey& key = {}) {
    return comparisons_.Create(Record(name, profiles), profiles, key);
  }
  void Finish(Profile profile) {
    profile.state = ProfileState::kFailed;
    ASSERT_TRUE(profiles_.Update(profile, ProfileState::kQueued));
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Database> database_ = Database::Open(directory_ / "m.db").value();
  ProfileRepository profiles_{*database_};
  ComparisonRepository comparisons_{*database_};
  const std::vector<Profile> two_ = {ProfileOf("one"), ProfileOf("two")};
};

TEST_F(ComparisonRepositoryTest, IsFoundByItsNameItsIdAndItsProfiles) {
  ASSERT_TRUE(Create("sides", two_));
  EXPECT_EQ(comparisons_.Get("default", "sides")->profile_ids,
            (std::vector<std::string>{"id-one", "id-two"}));
  EXPECT_EQ(comparisons_.Get("default", "id-of-sides")->request.base.name, "sides");
  EXPECT_EQ((*comparisons_.OfProfile("id-two"))->id, "id-of-sides");
  EXPECT_FALSE(*comparisons_.OfProfile("another"));
  EXPECT_EQ(comparisons_.Get("other", "sides").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(profiles_.Queued()->size(), 2U);
}

TEST_F(ComparisonRepositoryTest, AllOfItIsStoredOrNothing) {
  ASSERT_TRUE(profiles_.Create(two_[1], {}, false));
  EXPECT_EQ(Create("sides", two_).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(profiles_.Get("default", "one").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(comparisons_.Get("default", "sides").error().code(), ErrorCode::kNotFound);
}

TEST_F(ComparisonRepositoryTest, ANameIsUsedOnce) {
  ASSERT_TRUE(Create("sides", two_));
  const std::vector<Profile> others = {ProfileOf("three"), ProfileOf("four")};
  EXPECT_EQ(Create("sides", others).error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(Create("others", others));
  EXPECT_EQ(comparisons_.List("default", {1, ""})->value.front().request.base.name, "others");
  EXPECT_EQ(comparisons_.List("default", {1, "2"})->value.front().request.base.name, "sides");
}

TEST_F(ComparisonRepositoryTest, AKeyMakesOneAndGoesWithIt) {
  const IdempotencyKey key{"k", "asked"};
  ASSERT_TRUE(Create("sides", two_, key));
  EXPECT_TRUE(Create("sides", two_, key)->replayed);
  EXPECT_EQ((*comparisons_.MadeBefore("default", key))->id, "id-of-sides");
  EXPECT_EQ(comparisons_.MadeBefore("default", {"k", "else"}).error().code(),
            ErrorCode::kKeyReused);
  ASSERT_TRUE(comparisons_.Delete(*comparisons_.Get("default", "sides")));
  EXPECT_FALSE(*comparisons_.MadeBefore("default", key));
  EXPECT_FALSE(*comparisons_.OfProfile("id-one"));
  EXPECT_TRUE(profiles_.Get("default", "one")) << "its profiles stay";
}

TEST_F(ComparisonRepositoryTest, GoesWithTheLastOfItsProfiles) {
  const IdempotencyKey key{"k", "asked"};
  ASSERT_TRUE(Create("sides", two_, key));
  for (const Profile& profile : two_) Finish(profile);
  ASSERT_TRUE(profiles_.Delete("default", "one"));
  EXPECT_TRUE(comparisons_.Get("default", "sides"));
  ASSERT_TRUE(profiles_.Delete("default", "two"));
  EXPECT_EQ(comparisons_.Get("default", "sides").error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(*comparisons_.MadeBefore("default", key));
}

TEST_F(ComparisonRepositoryTest, ADamagedRowIsToldAndNotRead) {
  ASSERT_TRUE(Create("sides", two_));
  ASSERT_TRUE(database_->Write([](Connection& connection) {
    return Statement(connection, "UPDATE comparisons SET document = replace(document, 'm:1', 'x')")
        .Run();
  }));
  EXPECT_EQ(comparisons_.Get("default", "sides").error().code(), ErrorCode::kInternal);
  const auto damaged =
      database_->Read([](Connection& connection) { return FindDamagedRows(connection); });
  ASSERT_EQ(damaged->size(), 1U);
  EXPECT_NE(damaged->front().find("the comparison sides"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
