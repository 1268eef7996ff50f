#include "client/cli/output/details.h"

#include <gtest/gtest.h>

namespace mlprof::client::cli {
namespace {

TEST(WrapTest, LeavesShortLinesAlone) {
  EXPECT_EQ(Wrapped("a b\n\n  c\n", 40), "a b\n\n  c\n");
  EXPECT_EQ(Wrapped("", 40), "");
}

TEST(WrapTest, GoesOnBelowTheValue) {
  EXPECT_EQ(Wrapped("  memory    one two three four five six\n", 32),
            "  memory    one two three four\n"
            "            five six\n");
}

TEST(WrapTest, GoesOnBelowTheTextWhereThereIsNoLabel) {
  EXPECT_EQ(Wrapped("    one two three four five six seven\n", 30),
            "    one two three four five\n"
            "    six seven\n");
  EXPECT_EQ(Wrapped("  - one two three four five six seven\n", 30),
            "  - one two three four five\n"
            "    six seven\n");
}

TEST(WrapTest, KeepsALongWordWhole) {
  const std::string word(60, 'x');
  EXPECT_EQ(Wrapped("  " + word + " end\n", 30), "  " + word + "\n  end\n");
  EXPECT_EQ(Wrapped("  label     " + word + "\n", 40), "  label     " + word + "\n");
}

TEST(WrapTest, CountsColumnsAndNotBytes) {
  EXPECT_EQ(Wrapped("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 aaaa aaaa aaaa aaaa aaa\n", 29),
            "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 aaaa aaaa aaaa aaaa aaa\n");
}

TEST(WrapTest, SurvivesANarrowTerminal) {
  EXPECT_EQ(Wrapped("  label     one two three\n", 10), "  label     one\ntwo three\n");
  EXPECT_EQ(Wrapped("one two\n", 0), "one\ntwo\n");
}

}  // namespace
}  // namespace mlprof::client::cli
