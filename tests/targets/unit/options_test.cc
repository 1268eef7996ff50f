#include "tests/targets/target/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace target {
namespace {

Options Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "target_server");
  std::vector<char*> raw;
  for (std::string& argument : arguments) raw.push_back(argument.data());
  return ParseOptions(static_cast<int>(raw.size()), raw.data());
}

TEST(OptionsTest, ReadsNumbersAndFlags) {
  const Options options =
      Parse({"--start-sleep-ms", "60000", "--idle-workers", "2", "--first-idle", "--cache-max-mib",
             "128", "--response-cache", "--in-order", "--close", "--workers", "4"});
  EXPECT_EQ(options.start_sleep_ms, 60000);
  EXPECT_EQ(options.idle_workers, 2);
  EXPECT_EQ(options.cache_max_mib, 128);
  EXPECT_EQ(options.workers, 4);
  EXPECT_TRUE(options.first_idle && options.response_cache && options.in_order && options.close);
  EXPECT_EQ(options.max_requests, 0);
}

TEST(OptionsTest, GivesAServerThatIsReplacedASupervisor) {
  EXPECT_EQ(Parse({"--max-requests", "50"}).workers, 1);
  EXPECT_EQ(Parse({"--max-requests", "50", "--workers", "3"}).workers, 3);
}

TEST(OptionsDeathTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EXIT(Parse({"--worker"}), testing::ExitedWithCode(1), "unknown option --worker");
}

}  // namespace
}  // namespace target
