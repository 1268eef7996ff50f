#include "common/sandbox/sandbox_plan.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

SandboxPlan WholePlan() {
  SandboxPlan plan;
  plan.cgroups = {"/sys/fs/cgroup/cpu/mlprof-1/a", "/sys/fs/cgroup/memory/mlprof-1/a"};
  plan.root = "/data/process/run/a/root";
  plan.steps = {{SandboxStep::Kind::kFolder, "", "/var"},
                {SandboxStep::Kind::kReadOnly, "/usr", "/usr"},
                {SandboxStep::Kind::kWritable, "/data/a b/tmp", "/tmp"},
                {SandboxStep::Kind::kLayer, "lowerdir=/a,upperdir=/b,workdir=/c", "/a"},
                {SandboxStep::Kind::kDevice, "/dev/null", "/dev/null"},
                {SandboxStep::Kind::kMemory, "size=1m", "/run"},
                {SandboxStep::Kind::kLink, "usr/bin", "/bin"},
                {SandboxStep::Kind::kProc, "", "/proc"},
                {SandboxStep::Kind::kSealed, "", "/run"}};
  plan.user_namespace = true;
  plan.network = true;
  plan.host_name = "mlprof";
  plan.cores = {0, 3};
  plan.run_as = 65534;
  plan.command = {"/bin/sh", "-c", "a\nb 'c' \"d\"", ""};
  plan.environment = {"PATH=/usr/bin", "EMPTY="};
  return plan;
}

TEST(SandboxPlan, IsTheSameAfterItsWayThroughThePipe) {
  const auto decoded = DecodeSandboxPlan(EncodeSandboxPlan(WholePlan()));
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(*decoded, WholePlan());
}

TEST(SandboxPlan, IsWholeOnlyAtItsEnd) {
  const std::string bytes = EncodeSandboxPlan(WholePlan());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(IsWholeSandboxPlan(std::string_view(bytes).substr(0, cut))) << cut;
  }
  EXPECT_TRUE(IsWholeSandboxPlan(bytes));
}

TEST(SandboxPlan, RefusesWordsItDoesNotKnow) {
  using namespace std::string_view_literals;
  EXPECT_FALSE(DecodeSandboxPlan("argument\0/bin/sh\0surprise\0x\0end\0"sv));
  EXPECT_FALSE(DecodeSandboxPlan("argument\0/bin/sh\0core\0many\0end\0"sv));
  EXPECT_FALSE(DecodeSandboxPlan("argument\0/bin/sh\0readOnly\0/usr\0end\0"sv));
}

TEST(SandboxPlan, NeedsACommand) {
  using namespace std::string_view_literals;
  EXPECT_FALSE(DecodeSandboxPlan("end\0"sv));
  EXPECT_FALSE(DecodeSandboxPlan("root\0/x\0end\0"sv));
}

TEST(SandboxEnd, IsToldAsALine) {
  EXPECT_EQ(DecodeSandboxEnd(EncodeSandboxEnd({3, 0})), (SandboxEnd{3, 0}));
  EXPECT_EQ(DecodeSandboxEnd(EncodeSandboxEnd({0, 9})), (SandboxEnd{0, 9}));
  EXPECT_FALSE(DecodeSandboxEnd("exit 3"));
  EXPECT_FALSE(DecodeSandboxEnd(""));
}

}  // namespace
}  // namespace mlprof
