#include "server/runtime/docker/log_frames.h"

#include <gtest/gtest.h>

namespace mlprof::server::docker {
namespace {

std::string Frame(char stream, const std::string& text) {
  std::string frame = {stream, 0, 0, 0, 0, 0, 0, static_cast<char>(text.size())};
  return frame + text;
}

TEST(LogFramesTest, JoinsStdoutAndStderrInOrder) {
  EXPECT_EQ(LogFrames().Feed(Frame(1, "out\n") + Frame(2, "err\n") + Frame(1, "more")),
            "out\nerr\nmore");
}

TEST(LogFramesTest, TakesPiecesCutAnywhere) {
  LogFrames frames;
  std::string text;
  for (const char c : Frame(1, "hello ") + Frame(1, "") + Frame(2, "world")) {
    text += frames.Feed(std::string_view(&c, 1));
  }
  EXPECT_EQ(text, "hello world");
}

TEST(LogFramesTest, HandsOnWhatIsNotFramed) {
  EXPECT_EQ(LogFrames().Feed("plain text of a terminal"), "plain text of a terminal");
}

}  // namespace
}  // namespace mlprof::server::docker
