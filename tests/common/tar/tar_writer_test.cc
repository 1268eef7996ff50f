#include "common/tar/tar_writer.h"

#include <gtest/gtest.h>

#include "common/tar/tar_reader.h"
#include "tests/common/tar/memory_source.h"

namespace mlprof {
namespace {

struct Written {
  std::string bytes;
  TarWriter writer;

  explicit Written(LongPaths long_paths)
      : writer(long_paths, [this](std::string_view piece) {
          bytes += piece;
          return Status();
        }) {}
  Status File(const std::string& path, const std::string& content) {
    MemorySource source(content);
    return writer.AddFile({path, false, static_cast<std::int64_t>(content.size())}, source);
  }
};

TEST(TarWriterTest, WritesWhatTheReaderReads) {
  const std::string fits = std::string(90, 'd') + "/" + std::string(60, 'f');
  const std::string fits_nowhere = std::string(200, 'd') + "/" + std::string(180, 'f');
  for (const LongPaths long_paths : {LongPaths::kSplit, LongPaths::kInPax}) {
    Written tar(long_paths);
    ASSERT_TRUE(tar.writer.AddFolder("m"));
    ASSERT_TRUE(tar.writer.AddFolder(std::string(120, 'e')));
    for (const std::string& path : {std::string("m/a"), fits, fits_nowhere}) {
      ASSERT_TRUE(tar.File(path, path + std::string(1000, 'x')));
    }
    ASSERT_TRUE(tar.File("empty", ""));
    ASSERT_TRUE(tar.File("block", std::string(512, 'b')));
    ASSERT_TRUE(tar.writer.Finish());
    MemorySource source(tar.bytes);
    MemorySink sink;
    const auto read = ReadTar(source, TarLimits{}, sink);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->files, 5);
    EXPECT_EQ(sink.files.count(std::string(120, 'e') + "/"), 1u);
    EXPECT_EQ(sink.files.at(fits), fits + std::string(1000, 'x'));
    EXPECT_EQ(sink.files.at(fits_nowhere), fits_nowhere + std::string(1000, 'x'));
    EXPECT_EQ(sink.files.at("block"), std::string(512, 'b'));
  }
}

TEST(TarWriterTest, SplitsAPathOnlyWhereThatIsAsked) {
  const std::string path = std::string(90, 'd') + "/" + std::string(60, 'f');
  Written split(LongPaths::kSplit);
  Written in_pax(LongPaths::kInPax);
  ASSERT_TRUE(split.File(path, "") && in_pax.File(path, ""));
  EXPECT_EQ(split.bytes.size(), 512u);
  EXPECT_EQ(split.bytes.substr(345, 90), std::string(90, 'd'));
  EXPECT_NE(in_pax.bytes.find(" path=" + path + "\n"), std::string::npos);
}

TEST(TarWriterTest, ASizeTheHeaderCannotHoldIsInAPaxRecord) {
  Written tar(LongPaths::kSplit);
  MemorySource nothing("");
  EXPECT_FALSE(tar.writer.AddFile({"large", false, std::int64_t{1} << 33}, nothing));
  EXPECT_NE(tar.bytes.find(" size=8589934592\n"), std::string::npos);
}

TEST(TarWriterTest, ContentThatEndsEarlyIsAnError) {
  Written tar(LongPaths::kSplit);
  MemorySource source("abc");
  const Status status = tar.writer.AddFile({"a", false, 4}, source);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kInternal);
}

TEST(TarWriterTest, AnErrorOfTheOutputEndsIt) {
  TarWriter writer(LongPaths::kSplit, [](std::string_view) -> Status {
    return Fail(Unavailable("the disk is full"));
  });
  const Status status = writer.AddFolder("m");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace mlprof
