#include "server/registry/row_formats.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/text/base64.h"
#include "server/registry/row_upload.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

struct Good {
  const char* name;
  const char* type;
  std::string body;
  Rows rows;
};

const std::string kBinary("\x00\xff", 2);

Result<Rows> Decode(std::string_view type, std::string_view body) {
  KeptRows rows;
  MLPROF_TRY(DecodeRows(type, body, rows));
  return rows.Take();
}

// The same from a file.
Result<Rows> Upload(std::string_view type, const std::string& body) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "upload", std::ios::binary) << body;
  KeptRows rows;
  MLPROF_TRY(DecodeUpload(type, folder / "upload", rows));
  return rows.Take();
}

class GoodRowsTest : public testing::TestWithParam<Good> {};

TEST_P(GoodRowsTest, AreDecoded) {
  const auto rows = Decode(GetParam().type, GetParam().body);
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_EQ(*rows, GetParam().rows);
  EXPECT_EQ(Upload(GetParam().type, GetParam().body).value(), GetParam().rows);
}

const Good kGood[] = {
    {"Lines", "text/plain", "a\nb", {"a", "b"}},
    {"FinalLineEnd", "text/plain", "a\nb\n", {"a", "b"}},
    {"CrLf", "text/plain", "a\r\nb\r\n", {"a", "b"}},
    {"InnerCrStays", "text/plain", "a\rb\n", {"a\rb"}},
    {"EmptyLinesAreSkipped", "text/plain", "\n\r\na\n\n", {"a"}},
    {"SpacesStay", "text/plain", "  a \n \n", {"  a ", " "}},
    {"BomIsDropped",
     "text/plain",
     "\xef\xbb\xbf"
     "a\n",
     {"a"}},
    {"Charset", "Text/Plain; Charset=\"UTF-8\"", "ü\n", {"ü"}},
    {"JsonLineIsItself",
     "application/jsonl",
     "{\"a\": 1}\n[1, 2]\n3\nnull\n",
     {"{\"a\": 1}", "[1, 2]", "3", "null"}},
    {"JsonStringIsItsText", "application/jsonl", "\"a\\nb\"\n\"\"\n", {"a\nb", ""}},
    {"JsonBase64", "application/jsonl", "{\"base64\":\"AP8=\"}\n", {kBinary}},
    {"JsonBase64OfAnotherKindIsALine", "application/jsonl", "{\"base64\":5}\n", {"{\"base64\":5}"}},
    {"JsonBlankLines", "application/jsonl", "\n \t\n1\r\n\n", {"1"}},
    {"Csv", "text/csv", "a\r\nb\r\n", {"a", "b"}},
    {"CsvHeader", "text/csv;header=present", "text\na\n", {"a"}},
    {"CsvHeaderAbsent", "text/csv; header=absent", "text\na\n", {"text", "a"}},
    {"CsvQuotes", "text/csv", "\"a,b\"\n\"say \"\"x\"\"\"\n", {"a,b", "say \"x\""}},
    {"CsvLineBreakInQuotes", "text/csv", "\"a\r\nb\"\r\nc", {"a\r\nb", "c"}},
    {"CsvEmptyQuotes", "text/csv", "\"\"\n\na\n", {"", "a"}},
    {"CsvNoFinalLineEnd", "text/csv", "a\n\"b\"", {"a", "b"}},
    {"JsonRows",
     "application/json",
     R"({"rows":["a","b\nc",{"base64":"AP8="},""]})",
     {"a", "b\nc", kBinary, ""}},
};
INSTANTIATE_TEST_SUITE_P(All, GoodRowsTest, testing::ValuesIn(kGood),
                         [](const auto& test) { return std::string(test.param.name); });

struct Bad {
  const char* name;
  const char* type;
  std::string body;
  ErrorCode code;
  const char* pointer;  // nullptr: none
};

class BadRowsTest : public testing::TestWithParam<Bad> {};

TEST_P(BadRowsTest, AreRefusedWithTheirPlace) {
  const auto rows = Decode(GetParam().type, GetParam().body);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code(), GetParam().code) << rows.error().message();
  if (!GetParam().pointer) return;
  ASSERT_FALSE(rows.error().fields().empty()) << rows.error().message();
  EXPECT_EQ(rows.error().fields().front().pointer, GetParam().pointer);
}

constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
const Bad kBad[] = {
    {"UnknownType", "image/png", "a", ErrorCode::kUnsupportedMedia, nullptr},
    {"NoType", "", "a", ErrorCode::kUnsupportedMedia, nullptr},
    {"OtherCharset", "text/plain;charset=latin1", "a", ErrorCode::kUnsupportedMedia, nullptr},
    {"NothingInText", "text/plain", "", kInvalid, "/rows"},
    {"OnlyEmptyLines", "text/plain", "\n\r\n", kInvalid, "/rows"},
    {"OnlyABom", "text/plain", "\xef\xbb\xbf", kInvalid, "/rows"},
    {"TextNotUtf8", "text/plain", "a\n\n\xff\n", kInvalid, "/rows/1"},
    {"TextOverlong", "text/plain", "\xc0\x80\n", kInvalid, "/rows/0"},
    {"TextSurrogate", "text/plain", "\xed\xa0\x80\n", kInvalid, "/rows/0"},
    {"JsonLineBroken", "application/jsonl", "1\n{\n", kInvalid, "/rows/1"},
    {"JsonLineTwoValues", "application/jsonl", "1 2\n", kInvalid, "/rows/0"},
    {"JsonLineBadBase64", "application/jsonl", "{\"base64\":\"a\"}\n", kInvalid, "/rows/0"},
    {"JsonLineNotUtf8", "application/jsonl", "1\n\"\xff\"\n", kInvalid, "/rows/1"},
    {"JsonLineTooDeep", "application/jsonl", std::string(3000, '['), kInvalid, "/rows/0"},
    {"NothingInJsonLines", "application/jsonl", "\n", kInvalid, "/rows"},
    {"CsvSecondColumn", "text/csv", "a\nb,c\n", kInvalid, "/rows/1"},
    {"CsvSecondColumnAfterQuotes", "text/csv", "\"a\",b\n", kInvalid, "/rows/0"},
    {"CsvHeaderSecondColumn", "text/csv;header=present", "a,b\nc\n", kInvalid, "/rows"},
    {"CsvOpenQuote", "text/csv", "a\n\"b\n", kInvalid, "/rows/1"},
    {"CsvStrayQuote", "text/csv", "a\"b\n", kInvalid, "/rows/0"},
    {"CsvTextAfterQuote", "text/csv", "\"a\"b\n", kInvalid, "/rows/0"},
    {"CsvNotUtf8", "text/csv", "a\n\xff\n", kInvalid, "/rows/1"},
    {"CsvOnlyAHeader", "text/csv;header=present", "text\n", kInvalid, "/rows"},
    {"JsonBroken", "application/json", "{", kInvalid, nullptr},
    {"JsonArray", "application/json", "[]", kInvalid, ""},
    {"JsonUnknownField", "application/json", R"({"rows":["a"],"x":1})", kInvalid, "/x"},
    {"JsonRowsMissing", "application/json", "{}", kInvalid, "/rows"},
    {"JsonRowsNoArray", "application/json", R"({"rows":"a"})", kInvalid, "/rows"},
    {"JsonNoRows", "application/json", R"({"rows":[]})", kInvalid, "/rows"},
    {"JsonRowIsANumber", "application/json", R"({"rows":["a",5]})", kInvalid, "/rows/1"},
    {"JsonRowIsAnObject", "application/json", R"({"rows":[{"base64":"","x":1}]})", kInvalid,
     "/rows/0"},
    {"JsonRowBadBase64", "application/json", R"({"rows":[{"base64":"AA=A"}]})", kInvalid,
     "/rows/0"},
    {"JsonRowNotUtf8", "application/json", "{\"rows\":[\"a\",\"b\xff\"]}", kInvalid, "/rows/1"},
    {"JsonBase64NotUtf8", "application/json", "{\"rows\":[{\"base64\":\"b\xff\"}]}", kInvalid,
     "/rows/0"},
    {"JsonNotUtf8OutsideRows", "application/json", "{\"x\xff\":1}", kInvalid, "/rows"},
};
INSTANTIATE_TEST_SUITE_P(All, BadRowsTest, testing::ValuesIn(kBad),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(RowFormatsTest, NamesEveryBadRowUpToALimit) {
  const auto two = Decode("text/plain", "\xff\na\n\xfe\n");
  ASSERT_EQ(two.error().fields().size(), 2u);
  EXPECT_EQ(two.error().fields().back().pointer, "/rows/2");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "\xff\n";
  EXPECT_EQ(Decode("text/plain", many).error().fields().size(), 20u);
}

TEST(RowFormatsTest, TakesARowThatIsALargeArray) {
  std::string line = "[0";
  for (int i = 0; i < 250'000; ++i) line += ",1";
  line += "]";
  EXPECT_EQ(Decode("application/jsonl", line).value(), Rows{line});
}

TEST(RowFormatsTest, LeavesTheKeysOfARowToTheModel) {
  const std::string line = R"({"a":1,"a":2})";
  EXPECT_EQ(Decode("application/jsonl", line).value(), Rows{line});
  EXPECT_FALSE(Decode("application/json", R"({"rows":["a"],"rows":["b"]})"));
}

TEST(RowFormatsTest, TakesManyRowsThatAreObjects) {
  std::string body = "{\"rows\":[";
  for (int i = 0; i < 100'000; ++i) body += "{\"base64\":\"\"},";
  body += "\"last\"]}";
  EXPECT_EQ(Decode("application/json", body).value().size(), 100'001u);
}

TEST(TextChecksTest, DecodesBase64Strictly) {
  EXPECT_EQ(DecodeBase64("").value(), "");
  EXPECT_EQ(DecodeBase64("Zg==").value(), "f");
  EXPECT_EQ(DecodeBase64("Zm9v").value(), "foo");
  for (const char* bad : {"Z", "Zg=", "Zg", "====", "Z===", "Zm9v\n", "Zm-_", "=g==", "Zg==Zg=="}) {
    EXPECT_FALSE(DecodeBase64(bad)) << bad;
  }
}

TEST(RowUploadTest, TakesLinesThatAreLongerThanWhatIsReadAtOnce) {
  Rows rows;
  std::string body;
  for (const std::size_t size : {1, (1 << 20) - 1, 1 << 20, 5, (3 << 20) + 7, 2}) {
    rows.push_back(std::string(size, static_cast<char>('a' + rows.size())));
    body += rows.back() + "\r\n";
  }
  EXPECT_TRUE(Upload("text/plain", body).value() == rows);
  EXPECT_TRUE(Upload("text/plain", body + "the last").value().back() == "the last");
}

TEST(RowUploadTest, NamesABadRowFarIntoTheText) {
  std::string body;
  for (int i = 0; i < 300'000; ++i) body += "0123456789\n";
  const auto refused = Upload("text/plain", body + "\xff\nrow\n");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fields().at(0).pointer, "/rows/300000");
  EXPECT_EQ(Upload("text/plain", "\n\n").error().fields().at(0).pointer, "/rows");
}

class FullSink final : public RowSink {
 public:
  Status Add(std::string) override { return Fail(Unavailable("the disk is full")); }
};

TEST(RowUploadTest, EndsWithTheSinksError) {
  FullSink full;
  for (const char* type : {"text/plain", "application/jsonl", "text/csv"}) {
    EXPECT_EQ(DecodeRows(type, "1\n2\n", full).error().message(), "the disk is full");
  }
  EXPECT_EQ(DecodeRows("application/json", R"({"rows":["a","b"]})", full).error().message(),
            "the disk is full");
}

}  // namespace
}  // namespace mlprof::server
