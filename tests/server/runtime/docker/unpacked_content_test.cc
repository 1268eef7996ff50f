#include "server/runtime/unpacked_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "tests/fakes/folder_input.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class UnpackedContentTest : public ::testing::Test {
 protected:
  UnpackedContentTest() {
    char name[] = "/tmp/content-test.XXXXXX";
    top_ = ::mkdtemp(name);
    fs::create_directories(top_ / "files/below");
    std::ofstream(top_ / "outside") << "secret";
    std::ofstream(top_ / "files/below/inside") << "four";
    reader_ = fakes::FolderReader(top_ / "files");
  }
  ~UnpackedContentTest() override { fs::remove_all(top_); }

  std::string Refusal(const std::string& path, Bytes most = KiB(1)) const {
    const auto read = reader_->ReadFile(path, most);
    EXPECT_FALSE(read) << path;
    return read ? "" : read.error().message();
  }

  fs::path top_;
  std::shared_ptr<const ContentReader> reader_;
};

TEST_F(UnpackedContentTest, ReadsAFileOfItsOwn) {
  EXPECT_EQ(reader_->ReadFile("below/inside", Bytes(4)).value(), "four");
  EXPECT_THAT(Refusal("below/inside", Bytes(3)), HasSubstr("too large"));
}

TEST_F(UnpackedContentTest, ReadsNothingElse) {
  EXPECT_THAT(Refusal("missing"), HasSubstr("'missing' is not in the source"));
  EXPECT_THAT(Refusal("below"), HasSubstr("'below' is not in the source"));
  EXPECT_THAT(Refusal("../outside"), HasSubstr("leads out of the source"));
  EXPECT_THAT(Refusal(top_ / "outside"), HasSubstr("leads out of the source"));
  fs::create_symlink(top_ / "outside", top_ / "files/link");
  EXPECT_THAT(Refusal("link"), HasSubstr("leads out of the source"));
}

}  // namespace
}  // namespace mlprof::server
