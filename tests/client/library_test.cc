// The small parts of the client library.
#include <gtest/gtest.h>

#include "client/include/mlprof/rows_file.h"
#include "client/src/connection.h"
#include "client/src/random_key.h"
#include "client/src/sse_parser.h"
#include "tests/client/temporary_folder.h"

namespace mlprof::client {
namespace {

TEST(TargetTest, EncodesEverythingThatCouldMeanSomething) {
  Target target("/models");
  target.Segment("a/b:1").Query("tag", "k=v&x").Query("name", "");
  EXPECT_EQ(target.Text(), "/models/a%2Fb%3A1?tag=k%3Dv%26x");
}

TEST(ProblemTest, KeepsDetailAndFields) {
  const Error error = ErrorOf({400, {}, R"({"title":"Bad","detail":"two fields are wrong",
      "errors":[{"pointer":"/cpu","detail":"too large"}]})"});
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message(), "two fields are wrong");
  EXPECT_EQ(error.fields(), (std::vector<FieldError>{{"/cpu", "too large"}}));
}

TEST(ProblemTest, MakesDoWithAnyBody) {
  EXPECT_EQ(ErrorOf({502, {}, "<html>"}).message(), "the server answered with status 502");
  EXPECT_EQ(ErrorOf({404, {}, "[]"}).code(), ErrorCode::kNotFound);
}

TEST(SseParserTest, ReadsEventsWhateverThePieces) {
  const std::string text =
      ": hello\r\n\r\nretry: 5\n\nid: 7\nevent: phase\ndata: {\"a\":\ndata: 1}\n\nevent: x\n\n"
      "id: 8\rdata: z\r\r";
  for (std::size_t size : {std::size_t{1}, std::size_t{3}, text.size()}) {
    SseParser parser;
    std::vector<ProfileEvent> events;
    const auto keep = [&events](const ProfileEvent& event) {
      events.push_back(event);
      return true;
    };
    for (std::size_t at = 0; at < text.size(); at += size) parser.Feed(text.substr(at, size), keep);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].id, 7);
    EXPECT_EQ(events[0].type, "phase");
    EXPECT_EQ(events[0].data, "{\"a\":\n1}");
    EXPECT_EQ(events[1].id, 8);
    EXPECT_EQ(events[1].type, "message");
  }
}

TEST(RandomUuidTest, IsOfVersion4AndNeverTheSame) {
  const std::string uuid = RandomUuid();
  EXPECT_EQ(uuid.size(), 36U);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(uuid, RandomUuid());
}

TEST(RowsFileTest, ReadsEachFormatByExtension) {
  const TemporaryFolder folder;
  EXPECT_EQ(ReadRows(folder.Write("a.txt", "\xEF\xBB\xBFx\r\n\ny")).value(), (Rows{"x", "y"}));
  EXPECT_EQ(
      ReadRows(folder.Write("a.jsonl", "{\"d\": 1}\n\"l\\n2\"\n{\"base64\":\"YWI=\"}\n")).value(),
      (Rows{"{\"d\": 1}", "l\n2", "ab"}));
  EXPECT_EQ(ReadRows(folder.Write("a.json", R"({"rows":["a",{"base64":"Yg=="}]})")).value(),
            (Rows{"a", "b"}));
  EXPECT_EQ(ReadRows(folder.Write("a.csv", "plain\r\n\"q \"\"x\"\"\n2\"\r\n")).value(),
            (Rows{"plain", "q \"x\"\n2"}));
  EXPECT_FALSE(ReadRows(folder.Write("b.csv", "a,b\n")));
  const auto headed = folder.Write("c.csv", "\r\nbody\na\n");
  EXPECT_EQ(ReadRows(headed, CsvHeader::kPresent).value(), (Rows{"a"}));
  EXPECT_EQ(ReadRows(headed, CsvHeader::kNone).value(), (Rows{"body", "a"}));
}

TEST(RowsMediaTypeTest, IsTextUnlessTheExtensionSaysMore) {
  EXPECT_EQ(RowsMediaType("a.CSV"), "text/csv");
  EXPECT_EQ(RowsMediaType("a.jsonl"), "application/jsonl");
  EXPECT_EQ(RowsMediaType("a"), "text/plain");
  EXPECT_EQ(RowsMediaType("a.csv", CsvHeader::kPresent), "text/csv;header=present");
  EXPECT_EQ(RowsMediaType("a.csv", CsvHeader::kNone), "text/csv;header=absent");
  EXPECT_EQ(RowsMediaType("a.json", CsvHeader::kPresent), "application/json");
}

}  // namespace
}  // namespace mlprof::client
