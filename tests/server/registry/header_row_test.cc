#include "server/registry/row_survey.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

const std::string kJson = R"({"data": [1]})";

TEST(HeaderRow, IsABareWordAboveRowsThatAreNone) {
  EXPECT_EQ(HeaderLikeRow({"text", kJson, kJson}), "text");
  EXPECT_EQ(HeaderLikeRow({"text", kJson}), "text");
  EXPECT_EQ(HeaderLikeRow({"review_text", "a good film", "a bad, bad film"}), "review_text");
  EXPECT_EQ(HeaderLikeRow({"Column1", "1.5", "-2", "3e4"}), "Column1");
  EXPECT_EQ(HeaderLikeRow({"input.body-2", "[1, 2]", "null"}), "input.body-2");
  EXPECT_EQ(HeaderLikeRow({"größe", "1", "2"}), "größe");
}

TEST(HeaderRow, IsNoneWhereTheFirstRowIsARequestLikeTheOthers) {
  EXPECT_EQ(HeaderLikeRow({kJson, kJson}), "");
  EXPECT_EQ(HeaderLikeRow({"1", "2"}), "");
  EXPECT_EQ(HeaderLikeRow({"a good film", "a bad film"}), "");
  EXPECT_EQ(HeaderLikeRow({"great", "awful", "a film"}), "");
  EXPECT_EQ(HeaderLikeRow({"true", kJson}), "");
  EXPECT_EQ(HeaderLikeRow({"null", "1"}), "");
  EXPECT_EQ(HeaderLikeRow({"\"text\"", kJson}), "");
}

TEST(HeaderRow, IsNoneWithoutARowToCompareOrOfAWordTooLong) {
  EXPECT_EQ(HeaderLikeRow({}), "");
  EXPECT_EQ(HeaderLikeRow({"text"}), "");
  EXPECT_EQ(HeaderLikeRow({"", kJson}), "");
  EXPECT_EQ(HeaderLikeRow({std::string(65, 'a'), kJson}), "");
  EXPECT_EQ(HeaderLikeRow({std::string(64, 'a'), kJson}), std::string(64, 'a'));
}

TEST(HeaderRow, IsNoneWhereItIsNoText) { EXPECT_EQ(HeaderLikeRow({"\xff\xfe", kJson}), ""); }

TEST(HeaderRow, LooksAtTheNextHundredRowsAlone) {
  Rows rows(102, kJson);
  rows.front() = "text";
  rows[101] = "word";
  EXPECT_EQ(HeaderLikeRow(rows), "text");
  rows[100] = "word";
  EXPECT_EQ(HeaderLikeRow(rows), "");
}

TEST(HeaderRow, IsToldWithWhatToDo) {
  const Warning warning = HeaderWarning("text");
  EXPECT_EQ(warning.code, "looksLikeHeader");
  EXPECT_NE(warning.message.find("\"text\""), std::string::npos);
  EXPECT_NE(warning.advice.find("--header present"), std::string::npos);
}

}  // namespace
}  // namespace mlprof::server
