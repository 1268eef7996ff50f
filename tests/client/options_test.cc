#include "client/cli/options.h"

#include <gtest/gtest.h>

namespace mlprof::client::cli {
namespace {

const std::vector<OptionSpec> kSpecs = {
    {{"--model", "-m"}, "MODEL", "", true},
    {{"--input-dataset-id", "--idi"}, "DATASET", ""},
    {{"--cpu"}, "CORES", ""},
    {{"--no-wait"}, "", ""},
};

TEST(OptionsTest, ReadsEverySpellingUnderTheFirstName) {
  const auto options = ParseOptions(kSpecs, {"-m", "a", "--model=b:1", "--idi", "rows", "x"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->All("--model"), (std::vector<std::string>{"a", "b:1"}));
  EXPECT_EQ(options->Text("--input-dataset-id"), "rows");
  EXPECT_EQ(options->operands(), std::vector<std::string>{"x"});
  EXPECT_FALSE(options->Has("--no-wait"));
}

TEST(OptionsTest, LastValueOfASingleOptionCounts) {
  EXPECT_EQ(ParseOptions(kSpecs, {"--cpu", "1", "--cpu", "2"})->Text("--cpu"), "2");
}

TEST(OptionsTest, SuggestsTheNearestOption) {
  const auto options = ParseOptions(kSpecs, {"--modle", "a"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message(), "unknown option --modle; did you mean --model?");
}

TEST(OptionsTest, RefusesAMissingAndAnUnwantedValue) {
  EXPECT_EQ(ParseOptions(kSpecs, {"--cpu"}).error().message(), "--cpu needs a value (CORES)");
  EXPECT_EQ(ParseOptions(kSpecs, {"--no-wait=1"}).error().message(), "--no-wait takes no value");
}

TEST(OptionsTest, TakesEverythingAfterTwoDashesAsOperands) {
  EXPECT_EQ(ParseOptions(kSpecs, {"--", "--cpu"})->operands(), std::vector<std::string>{"--cpu"});
}

TEST(OptionsTest, ReadsNumbersWholeAndInRange) {
  EXPECT_EQ(ParseOptions(kSpecs, {"--cpu", "0.5"})->Number("--cpu", 0).value(), 0.5);
  EXPECT_EQ(ParseOptions(kSpecs, {})->Number("--cpu", 0).value(), std::nullopt);
  for (const char* text : {"-1", "1x", "", "nan"}) {
    EXPECT_FALSE(ParseOptions(kSpecs, {"--cpu", text})->Number("--cpu", 0)) << text;
  }
}

TEST(OptionsTest, SplitsPairsAtTheFirstEqualsSign) {
  const auto options = ParseOptions(kSpecs, {"-m", "a=b=c"});
  EXPECT_EQ(options->Pairs("--model")->at("a"), "b=c");
  EXPECT_FALSE(ParseOptions(kSpecs, {"-m", "=b"})->Pairs("--model"));
}

TEST(NearestTest, FindsNothingFarAway) { EXPECT_EQ(Nearest("--zzzzzz", {"--model"}), ""); }

TEST(NearestTest, CountsOnlyTheWordsThatDiffer) {
  EXPECT_EQ(Nearest("profile shw", {"profile", "profile cancel", "profile show"}), "profile show");
  EXPECT_EQ(Nearest("profile watch", {"profile", "profile cancel", "profile show"}), "");
  EXPECT_EQ(Nearest("profle watch", {"profile watch"}), "profile watch");
}

}  // namespace
}  // namespace mlprof::client::cli
