#include <gtest/gtest.h>

#include <limits>

#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/series_codec.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

using Points = std::vector<SeriesPoint>;

class ProfileSeriesTest : public testing::Test {
 protected:
  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  ProfileRepository profiles_{*database_};
  const std::string id_ = profiles_.Create(ExampleProfile("p"), {}, false).value().profile.id;
};

Points Levels(int count) {
  Points points;
  for (int n = 0; n < count; ++n) {
    const int step = n / 7;
    points.push_back({std::chrono::milliseconds(10 * n), 1048576.0 * 200 + 4096 * step});
  }
  return points;
}

Points Read(const Points& points) { return DecodePoints(EncodePoints(points)).value(); }

TEST_F(ProfileSeriesTest, KeepsWhatNobodyHasReadBeforeInParts) {
  const Series device{"deviceMemoryInBytes", "bytes", "device", Levels(3)};
  const Series clock{"deviceClock", "megahertz", "device", {{std::chrono::seconds(1), 1597.5}}};
  ASSERT_TRUE(profiles_.AddSeries(id_, std::vector{device, clock}));
  ASSERT_TRUE(profiles_.AddSeries(id_, {}));
  ASSERT_TRUE(profiles_.AddSeries(id_, std::vector{device}));
  const auto parts = profiles_.SeriesParts(id_);
  ASSERT_TRUE(parts) << parts.error().message();
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ(parts->at(0).name, "deviceMemoryInBytes");
  EXPECT_EQ(parts->at(0).points, device.points);
  EXPECT_EQ(parts->at(1).unit, "megahertz");
  EXPECT_EQ(parts->at(1).source, "device");
  EXPECT_EQ(parts->at(1).points, clock.points);
  EXPECT_EQ(parts->at(2).name, "deviceMemoryInBytes");
  EXPECT_TRUE(profiles_.SeriesParts("unknown")->empty());
}

TEST_F(ProfileSeriesTest, KeepsAllOfAContainerOrNothing) {
  EXPECT_EQ(profiles_.AddSeries("unknown", std::vector{Series{"a", "b", "c", {}}}).error().code(),
            ErrorCode::kNotFound);
}

TEST(SeriesCodecTest, KeepsWholeAndBrokenValues) {
  const Points whole = Levels(100);
  EXPECT_EQ(Read(whole), whole);
  const Points broken = {{std::chrono::nanoseconds(7), 0.1}, {std::chrono::nanoseconds(8), -2}};
  EXPECT_EQ(Read(broken), broken);
  EXPECT_TRUE(Read({}).empty());
}

TEST(SeriesCodecTest, KeepsTheExtremesOfTimesAndValues) {
  using std::chrono::nanoseconds;
  const double most = std::numeric_limits<double>::max();
  const double whole = 9007199254740991;
  for (const double value : {most, whole, 9007199254740992.0, 1e300, 0.0}) {
    const Points points = {{nanoseconds::min(), value}, {nanoseconds::max(), -value}};
    EXPECT_EQ(Read(points), points) << value;
  }
}

TEST(SeriesCodecTest, IsCompact) { EXPECT_LT(EncodePoints(Levels(1000)).size(), 6u * 1000); }

TEST(SeriesCodecTest, RefusesBytesThatAreNoneOfItsOwn) {
  EXPECT_FALSE(DecodePoints(""));
  EXPECT_FALSE(DecodePoints("\x01"));
  EXPECT_FALSE(DecodePoints(std::string("\x02\x01")));
  EXPECT_FALSE(DecodePoints(std::string("\x01\x02")));
  const Points both[] = {{{std::chrono::hours(1), 1e9}}, {{std::chrono::hours(1), 0.5}}};
  for (const Points& points : both) {
    const std::string bytes = EncodePoints(points);
    for (std::size_t size = 3; size < bytes.size(); ++size) {
      EXPECT_FALSE(DecodePoints(std::string_view(bytes).substr(0, size))) << size;
    }
  }
}

}  // namespace
}  // namespace mlprof::server
