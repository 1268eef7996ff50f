#include "server/azure/datasets/delimited_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using testing::ElementsAre;

constexpr DelimitedFormat kLines{'\n', HeaderRule::kNone, false};
constexpr DelimitedFormat kMultiLine{'\n', HeaderRule::kNone, true};

TEST(DelimitedRows, ALineIsARow) {
  const auto rows = ReadDelimited({"\xef\xbb\xbf{\"data\": [1, 2]}\n\r\nb\r\n", "c"}, kLines);
  EXPECT_THAT(*rows, ElementsAre("{\"data\": [1, 2]}", "b", "c"));
}

TEST(DelimitedRows, AFieldMayBeQuoted) {
  EXPECT_THAT(*ReadDelimited({"\"a \"\"b\"\"\"\n\"c\"d\n"}, kLines),
              ElementsAre("a \"b\"", "\"c\"d"));
  EXPECT_THAT(*ReadDelimited({"\"a\nb\"\nc\n"}, kMultiLine), ElementsAre("a\nb", "c"));
  EXPECT_THAT(*ReadDelimited({"\"a\nb\"\n"}, kLines), ElementsAre("\"a", "b\""));
}

TEST(DelimitedRows, HeadersAreDropped) {
  const DelimitedFormat first{',', HeaderRule::kFirstFile, false};
  const DelimitedFormat every{',', HeaderRule::kEveryFile, false};
  EXPECT_THAT(*ReadDelimited({"h,i\n1\n", "h\n2\n"}, first), ElementsAre("1", "h", "2"));
  EXPECT_THAT(*ReadDelimited({"h\n1\n", "h\n2\n"}, every), ElementsAre("1", "2"));
}

TEST(DelimitedRows, ASecondColumnIsRefusedByRow) {
  const auto rows = ReadDelimited({"1\n2,3\n"}, {',', HeaderRule::kNone, false});
  ASSERT_FALSE(rows);
  ASSERT_EQ(rows.error().fields().size(), 1u);
  EXPECT_EQ(rows.error().fields()[0].pointer, "/rows/1");
}

TEST(DelimitedRows, NoRowsAndForeignBytesAreRefused) {
  EXPECT_FALSE(ReadDelimited({"\n\n"}, kLines));
  EXPECT_FALSE(ReadDelimited({"a\xff\n"}, kLines));
}

Result<std::string> WriteLines(const Rows& rows) {
  std::string text;
  for (const std::string& row : rows) MLPROF_TRY(AppendLine(text, row, 0));
  return text;
}

TEST(DelimitedRows, WhatIsWrittenIsReadBack) {
  const Rows rows = {"plain", "\"quoted\"", "two\nlines \"x\"", "ends in \r", "a,b"};
  const auto lines = WriteLines(rows);
  ASSERT_TRUE(lines);
  EXPECT_EQ(*ReadDelimited({*lines}, kMultiLine), rows);
  EXPECT_EQ(*WriteLines({"a", "b"}), "a\nb\n");
  EXPECT_FALSE(WriteLines({"\xff"}));
}

}  // namespace
}  // namespace mlprof::server
