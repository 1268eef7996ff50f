#include <gtest/gtest.h>

#include "common/text/ascii.h"
#include "common/text/base64.h"
#include "common/text/percent.h"
#include "common/text/utf8.h"

namespace mlprof {
namespace {

TEST(Base64Test, GoesThereAndBack) {
  const std::string all("\x00\xff\x01", 3);
  for (const std::string& bytes : {std::string(), std::string("a"), std::string("ab"), all}) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
    EXPECT_EQ(DecodeBase64Url(EncodeBase64Url(bytes)), bytes);
  }
  EXPECT_EQ(EncodeBase64("foob"), "Zm9vYg==");
  EXPECT_EQ(EncodeBase64("\xfb\xff"), "+/8=");
  EXPECT_EQ(EncodeBase64Url("\xfb\xff"), "-_8");
}

TEST(Base64Test, TakesNothingElse) {
  for (const char* text :
       {"a", "????", "YQ", "YQ=", "=YQ=", "====", " YQ==", "YQ==\n", "YQ==YQ=="}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
  for (const char* text : {"a+b=", "YQ==", "a/b", "a"}) {
    EXPECT_EQ(DecodeBase64Url(text), std::nullopt) << text;
  }
}

TEST(PercentTest, EncodesWhatItDecodes) {
  const std::string text = "sub/group/a b:1 \xC3\xA4+%~";
  EXPECT_EQ(PercentEncode(text), "sub%2Fgroup%2Fa%20b%3A1%20%C3%A4%2B%25~");
  EXPECT_EQ(PercentDecode(PercentEncode(text)), text);
  EXPECT_EQ(PercentEncodePath("/a b//c?"), "/a%20b//c%3F");
}

TEST(CaseTest, IsThatOfAsciiAlone) {
  EXPECT_EQ(Lowercase("AbC-Z[1\xC3\x84"), "abc-z[1\xC3\x84");
  EXPECT_TRUE(EqualsIgnoringCase("Content-TYPE", "content-type"));
  EXPECT_FALSE(EqualsIgnoringCase("a", "ab"));
  EXPECT_FALSE(EqualsIgnoringCase("[", "{"));
}

TEST(TrimTest, TakesBlanksOffBothEnds) {
  EXPECT_EQ(Trim(" \ta b\n "), "a b\n");
  EXPECT_EQ(Trim(" a\r\n", " \r\n"), "a");
  EXPECT_EQ(Trim(" \t "), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(AsciiTest, KnowsLettersAndDigits) {
  for (const char c : {'a', 'z', 'A', 'Z', '0', '9'}) EXPECT_TRUE(IsAlnum(c)) << c;
  for (const char c : {'@', '[', '`', '{', '/', ':', '\xE4'}) EXPECT_FALSE(IsAlnum(c)) << c;
}

TEST(Utf8Test, FindsTheFirstByteThatIsNone) {
  EXPECT_EQ(FirstInvalidUtf8("a\xC3\xA4\xF0\x9F\x98\x80"), std::nullopt);
  EXPECT_EQ(FirstInvalidUtf8("ab\xff"), 2u);
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3"}) {
    EXPECT_EQ(FirstInvalidUtf8(bad), 0u) << bad;
  }
}

}  // namespace
}  // namespace mlprof
