#include "server/analysis/memory_savings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mlprof::server {
namespace {

MemoryMakeUp Serving(Bytes start, Bytes serving) {
  MemoryMakeUp make_up;
  make_up.start_peak = start;
  make_up.serving = serving;
  return make_up;
}

std::vector<RowMemory> RowsOf(Bytes rise, int count) {
  std::vector<RowMemory> rows;
  for (int i = 0; i < count; ++i) rows.push_back({i, KiB(2), rise});
  return rows;
}

std::optional<MemorySaving> Find(const MemoryMakeUp& make_up, const std::string& change) {
  const auto all = FindMemorySavings(make_up);
  const auto found = std::ranges::find(all, change, &MemorySaving::change);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

TEST(MemorySavingsTest, NothingIsSaidOfAModelOfWhichNothingStandsOut) {
  MemoryMakeUp make_up = Serving(MiB(100), MiB(120));
  make_up.rows = RowsOf(MiB(1), 40);
  EXPECT_TRUE(FindMemorySavings(make_up).empty());
  EXPECT_TRUE(FindMemorySavings({}).empty());
}

TEST(MemorySavingsTest, HalfOfTheRowsInFlightSaveWhatOneMoreWasSeenToTake) {
  MemoryMakeUp make_up = Serving(MiB(50), MiB(250));
  make_up.in_flight = 8;
  make_up.peak_by_in_flight = {{4, MiB(154)}, {8, MiB(250)}};
  const auto saving = Find(make_up, "inFlight");
  ASSERT_TRUE(saving);
  EXPECT_EQ(saving->saves, MiB(96));
  EXPECT_TRUE(saving->measured);
  EXPECT_EQ(saving->advice,
            "serve 4 rows at once instead of 8, and let the others wait: each in flight takes 24 "
            "MiB");
  EXPECT_EQ(Sentence(*saving), saving->advice + "; saves 96 MiB (measured)");
}

TEST(MemorySavingsTest, OfAModelThatDiedUnderLoadTheHeaviestRowsMeet) {
  MemoryMakeUp make_up = Serving(MiB(50), MiB(128));
  make_up.in_flight = 4;
  make_up.rows = RowsOf(MiB(10), 20);
  make_up.rows[3].rise = MiB(30);
  // 30 + 3 × 10 at once, 30 + 10 with two.
  EXPECT_EQ(Find(make_up, "inFlight")->saves, MiB(20));
}

TEST(MemorySavingsTest, OneRowAtATimeCannotBeFewer) {
  MemoryMakeUp make_up = Serving(MiB(50), MiB(250));
  make_up.peak_by_in_flight = {{1, MiB(154)}, {2, MiB(250)}};
  EXPECT_FALSE(Find(make_up, "inFlight"));
}

TEST(MemorySavingsTest, RowsOfARateMayNotBeFewerAtOnce) {
  MemoryMakeUp make_up = Serving(MiB(50), MiB(250));
  make_up.in_flight = 8;
  make_up.peak_by_in_flight = {{4, MiB(154)}, {8, MiB(250)}};
  make_up.open_loop = true;
  EXPECT_FALSE(Find(make_up, "inFlight"));
}

TEST(MemorySavingsTest, TheFewRowsInFrontOfTheWidestGapAreNamed) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(540));
  make_up.rows = RowsOf(MiB(4), 40);
  make_up.rows[17].rise = MiB(500);
  make_up.rows[18].rise = MiB(490);
  const auto saving = Find(make_up, "rows");
  ASSERT_TRUE(saving);
  EXPECT_EQ(saving->saves, MiB(496));
  EXPECT_NE(saving->advice.find("row 17 and 1 more"), std::string::npos) << saving->advice;
}

TEST(MemorySavingsTest, RowsThatAreHeavyByTheDozenAreTheLoad) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(540));
  make_up.rows = RowsOf(MiB(4), 40);
  for (int i = 0; i < 20; ++i) make_up.rows[static_cast<std::size_t>(i)].rise = MiB(500);
  EXPECT_FALSE(Find(make_up, "rows"));
}

TEST(MemorySavingsTest, RowsThatBeginASlopeAreTheLoadToo) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(540));
  for (int i = 0; i < 40; ++i) make_up.rows.push_back({i, KiB(2), MiB(100 + 10 * i)});
  make_up.in_flight = 3;
  EXPECT_FALSE(Find(make_up, "rows"));
}

TEST(MemorySavingsTest, OfASampleTheOthersAreThoseThatWereSeen) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(540));
  make_up.rows = RowsOf(MiB(4), 40);
  make_up.rows[17].rise = MiB(500);
  make_up.rows_sampled = true;
  EXPECT_NE(Find(make_up, "rows")->advice.find("the others that were seen at most 4 MiB"),
            std::string::npos);
}

TEST(MemorySavingsTest, OneLargeRowAmongSmallOnesIsHalvedOnce) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(240));
  for (int i = 1; i <= 20; ++i) make_up.rows.push_back({i, KiB(10), KiB(200)});
  make_up.rows.push_back({21, KiB(9), KiB(180)});
  make_up.rows.push_back({22, KiB(11), KiB(220)});
  make_up.rows.push_back({23, MiB(10), MiB(200)});
  make_up.in_flight = 8;
  EXPECT_NEAR(Find(make_up, "rowSize")->saves.mib(), 100, 1);
}

TEST(MemorySavingsTest, RowsOfNearlyOneSizeSayNothingOfSmallerOnes) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(240));
  std::uint32_t random = 1;
  const auto next = [&random] { return (random = random * 1664525 + 1013904223) >> 16U; };
  for (int i = 0; i < 40; ++i) {
    make_up.rows.push_back({i, KiB(100) + Bytes(next() % 1024), MiB(20) + KiB(next() % 4096)});
  }
  EXPECT_FALSE(Find(make_up, "rowSize"));
  make_up.rows[5].rise = MiB(150);
  EXPECT_FALSE(Find(make_up, "rowSize"));
  for (RowMemory& row : make_up.rows) row.size = KiB(1 + next() % 1000);
  EXPECT_FALSE(Find(make_up, "rowSize")) << "nor do those whose memory does not follow it";
}

TEST(MemorySavingsTest, OneRowFarOffMakesNoLine) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(240));
  for (int i = 1; i <= 40; ++i) {
    make_up.rows.push_back(
        {i, Bytes(1000 + i % 10), i % 3 == 0 ? MiB(90) : MiB(i % 2 == 0 ? 5 : 40)});
  }
  make_up.rows.push_back({41, MiB(1), MiB(60)});
  EXPECT_FALSE(Find(make_up, "rowSize"));
}

TEST(MemorySavingsTest, OfManyRowsTheHeaviestAreKept) {
  std::vector<RowMemory> rows;
  for (int i = 0; i < 100'000; ++i) rows.push_back({i, KiB(1), KiB(i)});
  rows[7].size = MiB(3);
  const auto kept = KeepForSavings(rows);
  EXPECT_LE(kept.size(), 3100U);
  EXPECT_EQ(std::ranges::max(kept, {}, &RowMemory::rise).row, 99'999);
  EXPECT_EQ(std::ranges::max(kept, {}, &RowMemory::size).row, 7);
  EXPECT_LT(kept.front().rise, MiB(1)) << "light ones as well";
}

TEST(MemorySavingsTest, RowsWhoseMemoryFollowsTheirSizeMayBeHalved) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(240));
  for (std::int64_t i = 1; i <= 20; ++i) make_up.rows.push_back({i, KiB(10 * i), MiB(10 * i)});
  const auto saving = Find(make_up, "rowSize");
  ASSERT_TRUE(saving);
  EXPECT_EQ(saving->saves, MiB(100));
  EXPECT_NE(saving->advice.find("at most 100 KiB instead of 200"), std::string::npos);
}

TEST(MemorySavingsTest, RowsWhoseMemoryDoesNotFollowTheirSizeMayNot) {
  MemoryMakeUp make_up = Serving(MiB(40), MiB(240));
  for (std::int64_t i = 1; i <= 20; ++i) {
    make_up.rows.push_back({i, KiB(10 * i), i % 2 == 0 ? MiB(200) : MiB(5)});
  }
  EXPECT_FALSE(Find(make_up, "rowSize"));
}

TEST(MemorySavingsTest, ProcessesThatTheLoadDoesNotNeedMayGo) {
  MemoryMakeUp make_up = Serving(MiB(250), MiB(260));
  make_up.workers = 4;
  make_up.per_worker = MiB(60);
  make_up.busy_cores = 1.3;
  make_up.in_flight = 2;
  EXPECT_EQ(Find(make_up, "workers")->saves, MiB(120));  // the start loads them too
  make_up.start_peak = MiB(20);                          // or each does at its first row
  EXPECT_EQ(Find(make_up, "workers")->saves, MiB(120));
  make_up.in_flight = 4;
  EXPECT_FALSE(Find(make_up, "workers"));
}

TEST(MemorySavingsTest, NothingIsPromisedOfServingWhereTheStartDecides) {
  MemoryMakeUp make_up = Serving(MiB(600), MiB(250));
  make_up.in_flight = 8;
  make_up.peak_by_in_flight = {{4, MiB(154)}, {8, MiB(250)}};
  EXPECT_FALSE(Find(make_up, "inFlight"));
  const auto loading = Find(make_up, "loading");
  ASSERT_TRUE(loading);
  EXPECT_EQ(loading->saves, MiB(350));
}

TEST(MemorySavingsTest, ParametersInHalfTheirBytesAreAnEstimate) {
  MemoryMakeUp make_up = Serving(MiB(340), MiB(360));
  make_up.parameters = MiB(300);
  make_up.parameters_in_half = MiB(150);
  const auto saving = Find(make_up, "precision");
  ASSERT_TRUE(saving);
  EXPECT_EQ(saving->saves, MiB(150));
  EXPECT_FALSE(saving->measured);
}

TEST(MemorySavingsTest, EachProcessWithItsOwnCopySavesInEach) {
  MemoryMakeUp make_up = Serving(MiB(700), MiB(720));
  make_up.workers = 2;
  make_up.per_worker = MiB(320);
  make_up.in_flight = 2;
  make_up.parameters = MiB(300);
  make_up.parameters_in_half = MiB(150);
  EXPECT_EQ(Find(make_up, "precision")->saves, MiB(300));
  EXPECT_EQ(Find(make_up, "preload")->saves, MiB(300));
  EXPECT_FALSE(Find(make_up, "preload")->measured);
  make_up.per_worker = MiB(20);  // they share what was loaded before them
  EXPECT_EQ(Find(make_up, "precision")->saves, MiB(150));
  EXPECT_FALSE(Find(make_up, "preload"));
}

TEST(MemorySavingsTest, FilesThatWereNeverInMemorySaveNothing) {
  MemoryMakeUp make_up = Serving(MiB(100), MiB(120));
  make_up.parameters = MiB(300);
  make_up.parameters_in_half = MiB(150);
  EXPECT_FALSE(Find(make_up, "precision"));
}

TEST(MemorySavingsTest, MappedFilesAreNoPartOfTheNeed) {
  MemoryMakeUp make_up = Serving(MiB(500), MiB(520));
  make_up.parameters = MiB(300);
  make_up.parameters_in_half = MiB(150);
  make_up.mapped_file = MiB(310);
  EXPECT_FALSE(Find(make_up, "precision"));
}

TEST(MemorySavingsTest, OfAModelThatDidNotStartItsFilesTell) {
  MemoryMakeUp make_up;
  make_up.parameters = MiB(300);
  make_up.parameters_in_half = MiB(150);
  EXPECT_EQ(Find(make_up, "precision")->saves, MiB(150));
}

TEST(MemorySavingsTest, ArenasCountByWhatTheTrialTook) {
  MemoryMakeUp make_up = Serving(MiB(100), MiB(400));
  make_up.arenas = ArenaTrial{MiB(390), MiB(250)};
  EXPECT_EQ(Find(make_up, "arenas")->saves, MiB(140));
  make_up.arenas = ArenaTrial{MiB(390), MiB(395)};
  EXPECT_FALSE(Find(make_up, "arenas"));
}

TEST(MemorySavingsTest, TheGreatestComesFirst) {
  MemoryMakeUp make_up = Serving(MiB(340), MiB(600));
  make_up.in_flight = 8;
  make_up.peak_by_in_flight = {{4, MiB(154)}, {8, MiB(250)}};
  make_up.parameters = MiB(300);
  make_up.parameters_in_half = MiB(150);
  const auto savings = FindMemorySavings(make_up);
  ASSERT_EQ(savings.size(), 2U);
  EXPECT_EQ(savings[0].change, "precision");
  EXPECT_EQ(savings[1].change, "inFlight");
}

}  // namespace
}  // namespace mlprof::server
