#include "agent/supervise/process_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace mlprof::agent {
namespace {

// A /proc in which processes are called as a test says.
class ProcessNamesTest : public testing::Test {
 protected:
  ProcessNamesTest() : folder_(testing::TempDir() + "/process-names") {
    std::filesystem::remove_all(folder_);
  }
  ~ProcessNamesTest() override { std::filesystem::remove_all(folder_); }

  void Call(pid_t pid, const std::string& name) {
    const auto process = folder_ / std::to_string(pid);
    std::filesystem::create_directories(process);
    std::ofstream(process / "comm") << name << '\n';
  }
  void End(pid_t pid) { std::filesystem::remove_all(folder_ / std::to_string(pid)); }

  const std::filesystem::path folder_;
  ProcessNames names_{folder_};
};

TEST_F(ProcessNamesTest, AreKnownWhenTheProcessIsGone) {
  Call(7, "gunicorn");
  names_.Learn({7});
  End(7);
  EXPECT_EQ(names_.Of(7), "gunicorn");
  EXPECT_EQ(names_.Of(8), "");
}

TEST_F(ProcessNamesTest, AChildGetsItsOwnOnceItRunsAProgram) {
  Call(7, "sh");
  names_.Learn({7});
  Call(7, "python3");
  names_.Learn({7});
  EXPECT_EQ(names_.Of(7), "python3");
}

TEST_F(ProcessNamesTest, AreForgottenWithTheirProcesses) {
  Call(7, "helper");
  names_.Learn({7});
  names_.Learn({});
  EXPECT_EQ(names_.Of(7), "");
  names_.LearnEnded(7);
  EXPECT_EQ(names_.Take(7), "helper");
  EXPECT_EQ(names_.Take(7), "");
}

TEST_F(ProcessNamesTest, ANameThatCannotBeReadReplacesNone) {
  Call(7, "gunicorn");
  names_.Learn({7});
  End(7);
  names_.LearnEnded(7);
  EXPECT_EQ(names_.Of(7), "gunicorn");
}

}  // namespace
}  // namespace mlprof::agent
