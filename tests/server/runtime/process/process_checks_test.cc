#include "server/runtime/process/process_checks.h"

#include <gtest/gtest.h>

namespace mlprof::server::process {
namespace {

ProcessSurroundings Well() {
  return {{Apart::kAsRoot, "", {true, true, ""}}, true, 1, true, "/usr/bin/python3.11"};
}

ProcessCheck CheckNamed(const std::string& name, const ProcessSurroundings& found) {
  for (ProcessCheck& check : ChecksOf(found)) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(ProcessChecksTest, AreAllWellWhereNothingIsMissing) {
  for (const ProcessCheck& check : ChecksOf(Well())) {
    EXPECT_TRUE(check.ok) << check.name;
    EXPECT_EQ(check.mend, "") << check.name;
  }
  EXPECT_NE(CheckNamed("limits", Well()).found.find("cgroup v1"), std::string::npos);
}

TEST(ProcessChecksTest, SayWhatCannotBeLimitedAndHowToGetIt) {
  ProcessSurroundings found = Well();
  found.cgroup_version = 2;
  found.permissions.limits = {true, false, "Permission denied"};
  const ProcessCheck check = CheckNamed("limits", found);
  EXPECT_FALSE(check.ok);
  EXPECT_TRUE(check.found.starts_with("memory of models cannot be limited, cgroup v2 (Permission"))
      << check.found;
  EXPECT_NE(check.mend.find("Delegate=yes"), std::string::npos);
}

TEST(ProcessChecksTest, TellAModelThatIsNotIsolatedFromOneThatIsNotRun) {
  ProcessSurroundings found = Well();
  found.permissions.apart = Apart::kNot;
  found.permissions.why_not_apart = "Operation not permitted";
  EXPECT_FALSE(CheckNamed("namespaces", found).ok) << "root runs none then";
  found.root = false;
  const ProcessCheck shared = CheckNamed("namespaces", found);
  EXPECT_TRUE(shared.ok);
  EXPECT_NE(shared.found.find("share the machine's network"), std::string::npos);
  EXPECT_NE(shared.mend.find("user namespaces"), std::string::npos);
}

TEST(ProcessChecksTest, SayThatAMachineWithoutPythonServesCommandsOnly) {
  ProcessSurroundings found = Well();
  found.python.clear();
  const ProcessCheck check = CheckNamed("python", found);
  EXPECT_TRUE(check.ok);
  EXPECT_NE(check.mend.find("python3-venv"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server::process
