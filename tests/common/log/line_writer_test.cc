#include "common/log/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/fakes/refused_threads.h"

namespace mlprof {
namespace {

using std::chrono::seconds;

std::string Dropped(std::int64_t count) { return "dropped " + std::to_string(count) + "\n"; }

// A pipe that holds a page, whose reader reads when it is told to.
class LineWriterTest : public ::testing::Test {
 protected:
  LineWriterTest() {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    EXPECT_EQ(fcntl(ends_[1], F_SETPIPE_SZ, 4096), 4096);
    writer_ = LineWriter::Start(ends_[1], Bytes(10'000), Dropped).value();
  }
  ~LineWriterTest() override {
    writer_.reset();
    close(ends_[0]);
    close(ends_[1]);
  }
  /// Up to the line that is `last`.
  std::vector<std::string> LinesUpTo(const std::string& last) {
    std::vector<std::string> lines(1);
    for (char c = 0; read(ends_[0], &c, 1) == 1;) {
      if (c != '\n') {
        lines.back() += c;
      } else if (lines.back() == last) {
        return lines;
      } else {
        lines.emplace_back();
      }
    }
    ADD_FAILURE() << "the pipe ended before " << last;
    return lines;
  }

  int ends_[2] = {-1, -1};
  std::unique_ptr<LineWriter> writer_;
};

// What stands behind a number makes lines of 100 bytes.
std::string Line(int number) {
  std::string line = std::to_string(number);
  return line + std::string(99 - line.size(), '.') + "\n";
}

TEST_F(LineWriterTest, KeepsTheOrder) {
  for (int i = 0; i < 20; ++i) writer_->Put(Line(i));
  writer_->Put("end\n");
  EXPECT_TRUE(writer_->Flush(seconds(60)));
  const auto lines = LinesUpTo("end");
  ASSERT_EQ(lines.size(), 21u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(lines[static_cast<std::size_t>(i)] + "\n", Line(i));
}

TEST_F(LineWriterTest, KeepsNobodyWaitingWhileNothingIsRead) {
  constexpr int kLines = 1000;
  for (int i = 0; i < kLines; ++i) writer_->Put(Line(i));
  EXPECT_FALSE(writer_->Flush(std::chrono::milliseconds(1)));

  // The reader goes on: whole lines in their order, and in the place of those that are not there
  // how many these are.
  int next = 0;
  int written = 0;
  std::string line;
  for (char c = 0; next < kLines && read(ends_[0], &c, 1) == 1;) {
    line += c;
    if (c != '\n') continue;
    if (line.starts_with("dropped ")) {
      next += std::stoi(line.substr(8));
    } else {
      ASSERT_EQ(line, Line(next));
      ++next;
      ++written;
    }
    line.clear();
  }
  EXPECT_EQ(next, kLines);
  EXPECT_LT(written, 300) << "what waits is bounded";

  // What comes later is written again.
  writer_->Put("end\n");
  EXPECT_EQ(LinesUpTo("end"), std::vector<std::string>{"end"});
}

TEST_F(LineWriterTest, DropsALineThatNeverFits) {
  writer_->Put(std::string(20'000, 'x') + "\n");
  EXPECT_EQ(LinesUpTo("dropped 1"), std::vector<std::string>{"dropped 1"});
}

TEST_F(LineWriterTest, WaitsWhereOthersMadeTheDescriptorNonBlocking) {
  ASSERT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  for (int i = 0; i < 90; ++i) writer_->Put(Line(i));
  writer_->Put("end\n");
  EXPECT_EQ(LinesUpTo("end").size(), 91u);
}

TEST_F(LineWriterTest, LeavesTheDescriptorsFlagsAsTheyAre) {
  const int before = fcntl(ends_[1], F_GETFL);
  writer_->Put("end\n");
  EXPECT_TRUE(writer_->Flush(seconds(60)));
  EXPECT_EQ(fcntl(ends_[1], F_GETFL), before);
}

TEST(LineWriter, TellsWhatWasLostWhereNobodyReads) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto writer = LineWriter::Start(ends[1], Bytes(10'000), Dropped).value();
  close(ends[0]);
  writer->Put("lost\n");
  EXPECT_TRUE(writer->Flush(seconds(60)));
  // Somebody reads again.
  int others[2] = {-1, -1};
  ASSERT_EQ(pipe2(others, O_CLOEXEC), 0);
  ASSERT_EQ(dup3(others[1], ends[1], O_CLOEXEC), ends[1]);
  writer->Put("kept\n");
  EXPECT_TRUE(writer->Flush(seconds(60)));
  char text[100];
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(read(others[0], text, sizeof text))),
            "kept\ndropped 1\n");
  for (const int fd : {ends[1], others[0], others[1]}) close(fd);
  std::signal(SIGPIPE, before);
}

TEST(LineWriter, NeedsAThread) {
  const fakes::RefusedThreads refused(1);
  const auto writer = LineWriter::Start(STDERR_FILENO, Bytes(10'000), Dropped);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code(), ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace mlprof
