#include "client/include/mlprof/pack_tar.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "common/hash/sha256.h"
#include "tests/client/temporary_folder.h"

namespace mlprof::client {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  std::array<char, 4096> piece{};
  while (const std::size_t count = fread(piece.data(), 1, piece.size(), pipe)) {
    out.append(piece.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

class PackTarTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path tar_ = folder_.path() / "out.tar";
};

TEST_F(PackTarTest, PacksAFolderUnderItsNameAsTarReadsIt) {
  folder_.Write("model/b.txt", "bee");
  folder_.Write("model/a/deep.bin", std::string(1000, 'x'));
  folder_.Write("model/__pycache__/x.pyc", "left out");
  folder_.Write("model/.git/config", "left out");
  fs::create_directories(folder_.path() / "model/empty");
  ASSERT_TRUE(PackTar(folder_.path() / "model/", TarLayout::kUnderBaseName, tar_));
  EXPECT_EQ(OutputOf("tar tf " + tar_.string()),
            "model/\nmodel/a/\nmodel/a/deep.bin\nmodel/b.txt\nmodel/empty/\n");
  EXPECT_EQ(OutputOf("tar xOf " + tar_.string() + " model/b.txt"), "bee");
}

TEST_F(PackTarTest, PacksAFileAtTheRootAndASourceFolderAsItsContent) {
  const auto file = folder_.Write("src/score.py", "def run(): pass");
  ASSERT_TRUE(PackTar(file, TarLayout::kUnderBaseName, tar_));
  EXPECT_EQ(OutputOf("tar tf " + tar_.string()), "score.py\n");
  const auto extra = folder_.Write("env.yml", "name: x");
  ASSERT_TRUE(
      PackTar(folder_.path() / "src", TarLayout::kContentAtRoot, tar_, {{extra, "env.yml"}}));
  EXPECT_EQ(OutputOf("tar tf " + tar_.string()), "env.yml\nscore.py\n");
}

TEST_F(PackTarTest, GivesTheSameBytesWhateverTheTimes) {
  const auto file = folder_.Write("model/a.txt", "a");
  const auto first = PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_);
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(5));
  const auto second = PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->sha256, second->sha256);
  Sha256 sha256;
  sha256.Add(ReadFile(tar_));
  EXPECT_EQ(sha256.Hex(), second->sha256);
  EXPECT_EQ(second->size.count() % 512, 0);
}

// Versions are known by these bytes: another sum here makes a new version of every unchanged model.
TEST_F(PackTarTest, GivesTheBytesItAlwaysGave) {
  folder_.Write("model/b.txt", "bee");
  folder_.Write("model/empty.txt", "");
  folder_.Write("model/block.bin", std::string(512, 'x'));
  folder_.Write("model/a/deep.bin", std::string(300'000, 'y'));
  folder_.Write("model/a/ä.txt", "not ASCII");
  folder_.Write("model/" + std::string(90, 'd') + "/" + std::string(60, 'f'), "in two parts");
  folder_.Write("model/" + std::string(200, 'n') + "/" + std::string(180, 'f'), "in a pax record");
  const auto program = folder_.Write("model/tool", "#!/bin/sh");
  ASSERT_EQ(chmod(program.c_str(), 0755), 0);
  fs::create_directories(folder_.path() / "model/nothing");
  const auto packed = PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_);
  ASSERT_TRUE(packed) << packed.error().message();
  EXPECT_EQ(packed->sha256, "a87849b5962774075c5d0306fdc0aa6adcebaad96570eb1969965cfe93de91d7");
  EXPECT_EQ(packed->size, Bytes(312'832));
}

TEST_F(PackTarTest, PacksNoModeButWhetherAFileIsAProgram) {
  const auto program = folder_.Write("model/tool", "#!/bin/sh");
  ASSERT_EQ(chmod(program.c_str(), 06777), 0);
  ASSERT_TRUE(PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_));
  EXPECT_EQ(OutputOf("tar tvf " + tar_.string() + " model/tool").substr(0, 10), "-rwxr-xr-x");
}

TEST_F(PackTarTest, KeepsPathsTooLongForTheHeader) {
  const std::string long_name = "model/" + std::string(200, 'n') + "/" + std::string(180, 'f');
  folder_.Write(long_name, "far");
  ASSERT_TRUE(PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_));
  EXPECT_EQ(OutputOf("tar xOf " + tar_.string() + " " + long_name), "far");
}

TEST_F(PackTarTest, FollowsALinkToAFileAndRefusesOthers) {
  folder_.Write("elsewhere.txt", "linked");
  folder_.Write("model/a.txt", "a");
  fs::create_symlink(folder_.path() / "elsewhere.txt", folder_.path() / "model/link.txt");
  ASSERT_TRUE(PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_));
  EXPECT_EQ(OutputOf("tar xOf " + tar_.string() + " model/link.txt"), "linked");
  fs::create_symlink("nowhere", folder_.path() / "model/broken");
  const auto refused = PackTar(folder_.path() / "model", TarLayout::kUnderBaseName, tar_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
}

TEST(BaseNameTest, IsANameThatMayBeRegistered) {
  EXPECT_EQ(BaseName("./model/"), "model");
  EXPECT_EQ(BaseName("a/rows.txt"), "rows.txt");
  EXPECT_EQ(BaseName("a/.hidden file"), "hidden-file");
  EXPECT_EQ(BaseName("/"), "unnamed");
}

}  // namespace
}  // namespace mlprof::client
