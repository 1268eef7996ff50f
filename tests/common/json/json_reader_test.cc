#include "common/json/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class JsonReaderTest : public ::testing::Test {
 protected:
  JsonReader Read(const std::string& text, JsonReader::Mode mode = JsonReader::Mode::kRequest) {
    json_ = *ParseJson(text);
    return JsonReader(json_, "", mode, problems_);
  }
  std::vector<std::string> Pointers() const {
    std::vector<std::string> pointers;
    for (const FieldError& problem : problems_) pointers.push_back(problem.pointer);
    return pointers;
  }

  Json json_;
  std::vector<FieldError> problems_;
};

TEST_F(JsonReaderTest, CollectsEveryProblemInsteadOfTheFirst) {
  auto reader = Read(R"({"a":"text","b":7,"c":true,"d":[1,"x"],"e":{"k":2}})");
  reader.Integer("a");
  reader.String("b");
  reader.Number("c");
  reader.Strings("d");
  reader.StringMap("e");
  EXPECT_THAT(Pointers(), ElementsAre("/a", "/b", "/c", "/d/0", "/e/k"));
}

TEST_F(JsonReaderTest, NamesUnknownMembersOfRequests) {
  auto reader = Read(R"({"known":1,"a/b~c":2})");
  reader.Integer("known");
  reader.RefuseUnknown();
  EXPECT_THAT(problems_, ElementsAre(FieldError{"/a~1b~0c", "is not a known field"}));
}

TEST_F(JsonReaderTest, IgnoresUnknownMembersOfResources) {
  auto reader = Read(R"({"later":1})", JsonReader::Mode::kResource);
  reader.RefuseUnknown();
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(JsonReaderTest, TakesNullForAbsentOnlyWhereItIsSaid) {
  auto reader = Read(R"({"a":null,"b":null})");
  EXPECT_EQ(reader.Number("a", {}, Null::kAbsent), std::nullopt);
  EXPECT_EQ(reader.Number("b"), std::nullopt);
  EXPECT_THAT(Pointers(), ElementsAre("/b"));
}

TEST_F(JsonReaderTest, RefusesNumbersOutsideTheirRange) {
  auto reader = Read(R"({"low":0,"high":2000000000000,"half":1.5,"huge":18446744073709551615})");
  reader.Integer("low", {1, 5});
  reader.Integer("high");
  reader.Integer("half");
  reader.BigInteger("huge");
  EXPECT_THAT(Pointers(), ElementsAre("/low", "/high", "/half", "/huge"));
  EXPECT_EQ(problems_[0].detail, "must be between 1 and 5");
  EXPECT_EQ(problems_[2].detail, "must be a whole number");
}

TEST_F(JsonReaderTest, TakesAWholeNumberWrittenWithAFraction) {
  auto reader = Read(R"({"a":3.0})");
  EXPECT_EQ(reader.Integer("a"), 3);
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(JsonReaderTest, ReportsAValueThatIsNoObjectOnce) {
  auto reader = Read("[1]");
  reader.Require("a");
  EXPECT_EQ(reader.String("a"), std::nullopt);
  reader.RefuseUnknown();
  EXPECT_THAT(problems_, ElementsAre(FieldError{"", "must be an object"}));
}

TEST_F(JsonReaderTest, PutsThePointerOfTheOuterObjectFirst) {
  auto reader = Read(R"({"outer":{"inner":{"n":"x"}}})");
  auto inner = reader.Object("outer")->Object("inner");
  inner->Integer("n");
  EXPECT_THAT(Pointers(), ElementsAre("/outer/inner/n"));
}

TEST(ProblemsToStatusTest, KeepsTheFieldsInTheError) {
  EXPECT_TRUE(ProblemsToStatus({}).has_value());
  const auto status = ProblemsToStatus({{"/a", "is required"}});
  EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.error().message(), "/a is required");
  EXPECT_THAT(status.error().fields(), ElementsAre(FieldError{"/a", "is required"}));
}

}  // namespace
}  // namespace mlprof
