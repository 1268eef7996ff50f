#include "common/json/series_json.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(SeriesJsonTest, KeepsPointsUnitAndSource) {
  const Series cpu{"cpuCores", "cores", "agent", {{std::chrono::milliseconds(500), 0.25}}};
  const Series memory{"deviceMemoryInBytes", "bytes", "device", {}};
  const Json json = EncodeSeries(std::vector{cpu, memory});
  EXPECT_EQ(DumpJson(json["series"]), R"({"cpuCores":[[0.5,0.25]],"deviceMemoryInBytes":[]})");
  const auto read = DecodeSeries(json);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].points, cpu.points);
  EXPECT_EQ(read[0].unit, "cores");
  EXPECT_EQ(read[1].name, "deviceMemoryInBytes");
  EXPECT_EQ(read[1].source, "device");
}

TEST(SeriesJsonTest, ReadsWhatAServerSaysThatTellsNoUnits) {
  const auto read = DecodeSeries(ParseJson(R"({"series":{"cpuCores":[[0.5,0.25]]}})").value());
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].unit, "");
  EXPECT_EQ(read[0].points.size(), 1U);
}

TEST(SeriesJsonTest, MakesDoWithAnyResponse) {
  for (const char* text :
       {"[]", "null", "{}", R"({"series":[1]})", R"({"series":{"a":1},"seriesInfo":{"a":2}})",
        R"({"series":{"a":[1,[1],[1,"x"],[1e300,1],[1,2,3]]}})"}) {
    for (const Series& series : DecodeSeries(ParseJson(text).value())) {
      EXPECT_TRUE(series.points.empty()) << text;
    }
  }
}

}  // namespace
}  // namespace mlprof
