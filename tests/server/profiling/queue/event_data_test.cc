#include "server/profiling/queue/event_data.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

constexpr auto kLongest = static_cast<std::size_t>(kLongestEvent.count());

TEST(EventData, IsWhatItWasWhereItIsShort) {
  EXPECT_EQ(EventData({{"text", "a\nb"}}), R"({"text":"a\nb"})");
  const std::string log(65'000, '\n');
  EXPECT_EQ(ParseJson(EventData({{"text", log}}))->value("text", ""), log);
}

TEST(EventData, KeepsTheEndOfALongText) {
  const std::string text = EventData({{"text", std::string(4 << 20, '\x01') + "the end"}});
  EXPECT_LE(text.size(), kLongest);
  const std::string kept = ParseJson(text)->value("text", "");
  EXPECT_TRUE(kept.ends_with("the end"));
  EXPECT_GT(kept.size(), std::size_t{30'000});
}

TEST(EventData, CutsNoCharacterInTwo) {
  std::string euros;
  for (int i = 0; i < 200'000; ++i) euros += "\xe2\x82\xac";
  const std::string kept = ParseJson(EventData({{"text", euros}}))->value("text", "");
  EXPECT_EQ(kept.substr(0, 3), "\xe2\x82\xac");
  EXPECT_EQ(kept.size() % 3, 0U);
}

TEST(EventData, LeavesOutTheLongestMembersThatAreNoText) {
  Json data = {{"state", "Failed"}, {"list", std::vector<int>(120'000, 7)}};
  data["config"]["variables"] = std::string(200'000, 'x');
  const Json kept = ParseJson(EventData(data)).value();
  data.erase("list");
  EXPECT_TRUE(kept == data) << kept.size();
}

}  // namespace
}  // namespace mlprof::server
