// This machine's configuration, whatever lies where its files should be.
#include "server/runtime/environment/pip_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "server/runtime/environment/pip_settings.h"

namespace mlprof::server::environment {
namespace {

namespace fs = std::filesystem;

class PipConfigTest : public ::testing::Test {
 protected:
  PipConfigTest() {
    char name[] = "/tmp/pip-config-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~PipConfigTest() override {
    ::unsetenv("PIP_CONFIG_FILE");
    fs::remove_all(folder_);
  }

  fs::path Write(const std::string& name, const std::string& content) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(PipConfigTest, ReadsTheFileThatAVariableNames) {
  ::setenv("PIP_CONFIG_FILE", Write("pip.conf", "[global]\ntimeout = 77\n").c_str(), 1);
  EXPECT_EQ(Find(PipConfigOf(ThisHost()), "timeout"), "77");
}

TEST_F(PipConfigTest, TakesAFolderForAnEmptyFile) {
  ::setenv("PIP_CONFIG_FILE", folder_.c_str(), 1);
  EXPECT_NO_THROW(SecretsOf(ThisHost()));
  EXPECT_NO_THROW(PipSettingsOf(ThisHost()));
  EXPECT_EQ(ThisHost().read(folder_), "");
}

TEST_F(PipConfigTest, DoesNotWaitForAPipe) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ThisHost().read(pipe), "");
}

TEST_F(PipConfigTest, ReadsNoMoreThanAMebibyte) {
  const std::string most(std::size_t{1} << 20, 'x');
  EXPECT_EQ(ThisHost().read(Write("most", most)), most);
  EXPECT_EQ(ThisHost().read(Write("more", most + "y")), most);
  EXPECT_EQ(ThisHost().read("/dev/zero"), "");
}

TEST_F(PipConfigTest, ListsAptsFilesWithoutItsFolders) {
  const fs::path list = Write("sources.list.d/a.list", "");
  const fs::path old = Write("sources.list.d/old/b.list", "").parent_path();
  fs::create_directory(folder_ / "auth.conf.d");
  fs::create_symlink(old, folder_ / "auth.conf.d/linked");
  EXPECT_THAT(AptFiles(folder_),
              ::testing::ElementsAre(folder_ / "apt.conf", folder_ / "sources.list",
                                     folder_ / "auth.conf", list));
}

}  // namespace
}  // namespace mlprof::server::environment
