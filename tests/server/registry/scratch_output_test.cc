#include "server/registry/scratch_output.h"

#include <gtest/gtest.h>

#include "server/registry/capture_store.h"
#include "tests/server/registry/registry_fixture.h"

namespace mlprof::server {
namespace {

class ScratchOutputTest : public RegistryTest {
 protected:
  ScratchOutput Output(Bytes most, Bytes room) {
    return {file_, most, [room] { return room; }};
  }
  const std::shared_ptr<const std::filesystem::path> file_ =
      CaptureStore(*database_, *content_).ScratchFile();
};

TEST_F(ScratchOutputTest, WritesWhatItIsGiven) {
  ScratchOutput out = Output(MiB(1), GiB(1));
  EXPECT_TRUE(out.Write("ab"));
  EXPECT_TRUE(out.Write("cd"));
  EXPECT_TRUE(out.Finish());
  EXPECT_EQ(Content(*file_), "abcd");
  EXPECT_GT(RoomFor(*file_), Bytes());
}

TEST_F(ScratchOutputTest, EndsAtItsLimit) {
  ScratchOutput out = Output(Bytes(3), GiB(1));
  EXPECT_TRUE(out.Write("ab"));
  EXPECT_EQ(out.Write("cd").error().code(), ErrorCode::kTooLarge);
}

TEST_F(ScratchOutputTest, DoesNotTakeTheLastOfADisk) {
  ScratchOutput out = Output(GiB(1), MiB(300));
  const Status refused = out.Write("ab");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message().find("300"), std::string::npos) << refused.error().message();
}

TEST_F(ScratchOutputTest, AsksAgainAsItGrows) {
  Bytes room = GiB(1);
  ScratchOutput out(file_, GiB(1), [&] { return room; });
  const std::string piece(static_cast<std::size_t>(MiB(40).count()), 'x');
  EXPECT_TRUE(out.Write(piece));
  room = Bytes();
  EXPECT_TRUE(out.Write(piece));
  EXPECT_FALSE(out.Write(piece));
}

}  // namespace
}  // namespace mlprof::server
