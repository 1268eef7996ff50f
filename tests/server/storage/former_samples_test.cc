// Profiles that were measured before there were series go on being readable.
#include <gtest/gtest.h>

#include <limits>

#include "server/storage/migration.h"
#include "server/storage/profile_repository.h"
#include "server/storage/sample_codec.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/example_profile.h"
#include "tests/server/storage/former_samples.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

// The last schema without series.
constexpr std::size_t kFormerMigrations = 14;

class FormerSamplesTest : public testing::Test {
 protected:
  TemporaryDirectory folder_;
  std::unique_ptr<Database> database_ = Database::Open(folder_ / "mlprof.db").value();
  ProfileRepository profiles_{*database_};
  const std::string id_ = profiles_.Create(ExampleProfile("p"), {}, false).value().profile.id;
};

Sample ExampleSample(int n) {
  Sample sample;
  sample.at = std::chrono::milliseconds(10 * n);
  sample.cpu_time = std::chrono::microseconds(137 * n);
  sample.usage = MiB(100 - n);  // falls, so that differences are negative
  sample.oom_kills = n / 2;
  sample.agent_memory = KiB(n);
  if (n % 2 == 0) sample.host_cpu_pressure = 0.25 * n;
  sample.mapped_file = MiB(64);
  sample.file_refaults = n / 25;
  if (n % 25 == 0) sample.peak_unreclaimable = MiB(700);
  if (n % 3 == 0) sample.send_lag = std::chrono::microseconds(n);
  if (n % 5 == 0) sample.run_queue_wait = std::chrono::microseconds(7 * n);
  return sample;
}

TEST_F(FormerSamplesTest, AreReadBatchByBatch) {
  std::vector<Sample> samples;
  for (int n = 0; n < 100; ++n) samples.push_back(ExampleSample(n));
  ASSERT_TRUE(AddFormerSamples(*database_, id_, std::span(samples).first(60)));
  ASSERT_TRUE(AddFormerSamples(*database_, id_, std::span(samples).subspan(60)));
  const auto read = profiles_.FormerSamples(id_);
  ASSERT_EQ(read->size(), 100u);
  EXPECT_EQ(EncodeFormerSamples(*read), EncodeFormerSamples(samples));
  EXPECT_EQ(read->at(25).peak_unreclaimable, MiB(700));
  EXPECT_FALSE(read->at(26).peak_unreclaimable);
  EXPECT_EQ(read->at(30).send_lag, std::chrono::microseconds(30));
  EXPECT_EQ(read->at(30).run_queue_wait, std::chrono::microseconds(210));
  EXPECT_EQ(read->at(30).mapped_file, MiB(64));
  EXPECT_EQ(read->at(50).file_refaults, 2);
  EXPECT_EQ(read->at(51).usage, MiB(49));
  EXPECT_EQ(read->at(99).cpu_time, std::chrono::microseconds(137 * 99));
  EXPECT_FALSE(read->at(51).host_cpu_pressure);
  EXPECT_EQ(read->at(52).host_cpu_pressure, 13.0);
}

TEST_F(FormerSamplesTest, OutliveTheMigrationToSeries) {
  const TemporaryDirectory folder;
  std::string id;
  {
    const auto former = EmbeddedMigrations().first(kFormerMigrations);
    const auto database = Database::Open(folder / "mlprof.db", {.migrations = former}).value();
    id = ProfileRepository(*database).Create(ExampleProfile("p"), {}, false).value().profile.id;
    ASSERT_TRUE(AddFormerSamples(*database, id, std::vector{ExampleSample(25)}));
  }
  const auto database = Database::Open(folder / "mlprof.db").value();
  ProfileRepository profiles(*database);
  const auto read = profiles.FormerSamples(id);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().peak_unreclaimable, MiB(700));
  EXPECT_TRUE(profiles.SeriesParts(id)->empty());
}

TEST_F(FormerSamplesTest, AreClearedWithWhatElseWasMeasured) {
  ASSERT_TRUE(AddFormerSamples(*database_, id_, std::vector{ExampleSample(1)}));
  ASSERT_TRUE(profiles_.ClearMeasured(id_));
  EXPECT_TRUE(profiles_.FormerSamples(id_)->empty());
}

TEST_F(FormerSamplesTest, AreToldWhereTheyAreDamaged) {
  ASSERT_TRUE(AddFormerSamples(*database_, id_, std::vector{ExampleSample(1)}));
  ASSERT_TRUE(database_->Write([](Connection& connection) {
    return connection.Execute("UPDATE profile_sample_batches SET sample_count = 2");
  }));
  EXPECT_EQ(MessageOf(profiles_.FormerSamples(id_)).find("the row of samples of the profile"), 0u);
}

TEST(FormerSampleCodecTest, KeepsTheExtremesOfEveryInteger) {
  Sample low;
  low.at = std::chrono::nanoseconds::min();
  low.usage = Bytes(std::numeric_limits<std::int64_t>::max());
  Sample high;
  high.at = std::chrono::nanoseconds::max();
  high.usage = Bytes(std::numeric_limits<std::int64_t>::min());
  std::vector<Sample> read;
  ASSERT_TRUE(DecodeSamples(EncodeFormerSamples(std::vector{low, high, low}), read));
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[1].at, high.at);
  EXPECT_EQ(read[2].usage, low.usage);
}

TEST(FormerSampleCodecTest, ReadsWhatTheFirstVersionWrote) {
  // Version 1; at 5 ns, the eleven other integers 0, no pressure.
  const std::string bytes = std::string("\x01\x0a") + std::string(11, '\0') + '\0';
  std::vector<Sample> samples;
  ASSERT_TRUE(DecodeSamples(bytes, samples));
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].at, std::chrono::nanoseconds(5));
  EXPECT_FALSE(samples[0].peak_unreclaimable);
}

TEST(FormerSampleCodecTest, RefusesBytesThatAreCutAtAnyPlace) {
  const std::string whole = EncodeFormerSamples(std::vector{ExampleSample(3)});
  for (std::size_t size = 2; size < whole.size(); ++size) {
    std::vector<Sample> read;
    EXPECT_FALSE(DecodeSamples(whole.substr(0, size), read)) << size;
  }
  std::vector<Sample> read;
  EXPECT_FALSE(DecodeSamples("", read));
}

}  // namespace
}  // namespace mlprof::server
