// What profiles that are over take, and series that are thinned out.
#include <gtest/gtest.h>

#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/former_samples.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

class FinishedProfilesTest : public testing::Test {
 protected:
  Profile Create(const std::string& name) {
    return profiles_.Create(ExampleProfile(name), {}, false).value().profile;
  }
  // Ended so long after its creation.
  Profile Finished(const std::string& name, std::chrono::seconds after = {}) {
    Profile profile = Create(name);
    const ProfileState before = profile.state;
    profile.state = ProfileState::kSucceeded;
    EXPECT_TRUE(profiles_.FinishPhase(
        profile, before, {"verify", profile.created, profile.created + after, "done"}));
    return profile;
  }
  static Series Some(const std::string& name, int count) {
    Series series = {name, "bytes", "agent", {}};
    for (int i = 0; i < count; ++i)
      series.points.push_back({std::chrono::milliseconds(i), 1.0 * i});
    return series;
  }
  Status Add(const Profile& profile, const Series& series) {
    return profiles_.AddSeries(profile.id, std::vector{series});
  }
  static std::vector<SeriesPoint> FirstTwo(const Series& series) {
    return {series.points.begin(),
            series.points.begin() + std::min<std::ptrdiff_t>(2, std::ssize(series.points))};
  }
  static std::vector<SeriesPoint> None(const Series&) { return {}; }
  std::size_t PointsOf(const Profile& profile) {
    std::size_t points = 0;
    const auto parts = profiles_.SeriesParts(profile.id);
    for (const Series& part : *parts) points += part.points.size();
    return points;
  }

  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  ProfileRepository profiles_{*database_};
};

TEST_F(FinishedProfilesTest, AreListedAloneOldestFirstByTheirEnd) {
  Create("waits");
  const Profile late = Finished("late", std::chrono::hours(1));
  const Profile early = Finished("early", std::chrono::seconds(1));
  const auto finished = profiles_.Finished();
  ASSERT_TRUE(finished) << finished.error().message();
  ASSERT_EQ(finished->size(), 2u);
  EXPECT_EQ(finished->at(0).id, early.id);
  EXPECT_EQ(finished->at(1).finished, late.created + std::chrono::hours(1));
}

TEST_F(FinishedProfilesTest, PointsThatAreThinnedOutAreCountedStill) {
  const Profile profile = Finished("p");
  ASSERT_TRUE(Add(profile, Some("memoryInBytes", 60)));
  ASSERT_TRUE(Add(profile, Some("processes", 40)));
  const Bytes before = profiles_.SizeOf(profile.id).value();
  ASSERT_TRUE(profiles_.ThinSeries(profile.id, {}, &FirstTwo));
  EXPECT_EQ(PointsOf(profile), 4u);
  EXPECT_EQ(profiles_.CountPoints(profile.id)->measured, 100);
  EXPECT_EQ(profiles_.CountPoints(profile.id)->kept, 4);
  EXPECT_EQ(profiles_.Finished()->at(0).points.kept, 4);
  EXPECT_LT(profiles_.SizeOf(profile.id).value(), before);
  ASSERT_TRUE(profiles_.ThinSeries(profile.id, {}, &None));
  EXPECT_EQ(PointsOf(profile), 0u);
  EXPECT_EQ(profiles_.CountPoints(profile.id)->measured, 100);
}

TEST_F(FinishedProfilesTest, FormerSamplesBecomeSeries) {
  const Profile profile = Finished("p");
  ASSERT_TRUE(AddFormerSamples(*database_, profile.id, std::vector<Sample>(50)));
  EXPECT_EQ(profiles_.CountPoints(profile.id)->kept, 50);
  ASSERT_TRUE(profiles_.ThinSeries(profile.id, std::vector{Some("processes", 50)}, &FirstTwo));
  EXPECT_TRUE(profiles_.FormerSamples(profile.id)->empty());
  EXPECT_EQ(PointsOf(profile), 2u);
  EXPECT_EQ(profiles_.CountPoints(profile.id)->measured, 50);
}

TEST_F(FinishedProfilesTest, ProfilesThatStillMeasureAreNotThinned) {
  const Profile waits = Create("waits");
  ASSERT_TRUE(Add(waits, Some("processes", 10)));
  EXPECT_EQ(profiles_.ThinSeries(waits.id, {}, &None).error().code(), ErrorCode::kConflict);
  EXPECT_EQ(profiles_.ThinSeries("unknown", {}, &None).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(PointsOf(waits), 10u);
}

TEST_F(FinishedProfilesTest, SeriesOfADamagedProfileStayAsTheyAre) {
  const Profile profile = Finished("p");
  ASSERT_TRUE(Add(profile, Some("processes", 10)));
  ASSERT_TRUE(database_->Write([](Connection& connection) {
    return connection.Execute("UPDATE profiles SET dataset_id = 'another'");
  }));
  EXPECT_EQ(profiles_.ThinSeries(profile.id, {}, &None).error().code(), ErrorCode::kInternal);
  EXPECT_EQ(PointsOf(profile), 10u);
}

}  // namespace
}  // namespace mlprof::server
