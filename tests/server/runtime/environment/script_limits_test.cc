#include "server/runtime/environment/run_script.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/os/descriptor_limit.h"

namespace mlprof::server::environment {
namespace {

TEST(ScriptLimits, GivesTheScriptTheLimitOfOpenFilesOfTheStart) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{100, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  RaiseDescriptorLimit(200);
  EXPECT_EQ(DescriptorLimit(), 200U);
  std::string said;
  const auto status = RunScript(
      "ulimit -S -n; exit 3", "test", {}, [&](std::string_view text) { said += text; }, {},
      Deadline::After(std::chrono::seconds(20)));
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, 3);
  EXPECT_EQ(said, "100\n");
}

}  // namespace
}  // namespace mlprof::server::environment
