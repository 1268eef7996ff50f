// On folders of this machine, below the test's own.
#include "server/runtime/process/writable_paths.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace mlprof::server::process {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

// /tmp is the model's own, so that nothing is asked of what lies there.
class WritablePaths : public testing::Test {
 protected:
  WritablePaths() {
    std::string pattern = "/var/tmp/mlprof-test-XXXXXX";
    here_ = fs::canonical(::mkdtemp(pattern.data())).string();
  }
  ~WritablePaths() override {
    std::error_code ignored;
    fs::remove_all(here_, ignored);
  }

  std::string Refusal(const std::string& path) const {
    const auto paths = WritablePathsHere({path}, here_ + "/data");
    if (paths) return "";
    EXPECT_EQ(paths.error().code(), ErrorCode::kInvalidArgument);
    const std::string why = paths.error().message();
    EXPECT_NE(why.find("'" + path + "'"), std::string::npos) << why;
    return why;
  }

  std::string here_;
};

TEST_F(WritablePaths, AreEachThereOnceInNormalForm) {
  const Paths given = {here_ + "//cache/", here_ + "/./cache", here_ + "/data-too"};
  EXPECT_EQ(WritablePathsHere(given, here_ + "/data"),
            (Paths{here_ + "/cache", here_ + "/data-too"}));
}

TEST_F(WritablePaths, AreRefusedWhereNoEngineHasThem) {
  for (const char* path : {"relative", "/", "/a/../b", "/proc/sys", "/sys", "/dev/shm"}) {
    EXPECT_NE(Refusal(path), "") << path;
  }
}

TEST_F(WritablePaths, NeitherHoldTheServersDataNorLieInIt) {
  EXPECT_NE(Refusal(here_ + "/data").find("name a folder elsewhere"), std::string::npos);
  EXPECT_NE(Refusal(here_ + "/data/process/run").find("name a folder"), std::string::npos);
  EXPECT_NE(Refusal(here_).find("lies in it"), std::string::npos);
  EXPECT_NE(Refusal("/var").find("lies in it"), std::string::npos);
}

TEST_F(WritablePaths, LeadThroughNoLink) {
  fs::create_directories(here_ + "/data");
  fs::create_directory_symlink(here_ + "/data", here_ + "/link");
  EXPECT_NE(Refusal(here_ + "/link").find("'" + here_ + "/data': name that"), std::string::npos);
  EXPECT_NE(Refusal(here_ + "/link/new").find("'" + here_ + "/data/new'"), std::string::npos);
}

TEST_F(WritablePaths, AreTheModelsOwnInTmpAndHome) {
  EXPECT_EQ(WritablePathsHere({"/tmp/x/", "/home/mlprof/y"}, "/tmp/x/data"),
            (Paths{"/home/mlprof/y", "/tmp/x"}));
}

}  // namespace
}  // namespace mlprof::server::process
