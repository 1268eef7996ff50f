#include "common/tar/tar_reader.h"

#include <gtest/gtest.h>

#include "tests/common/tar/memory_source.h"
#include "tests/common/tar/tar_builder.h"

namespace mlprof {
namespace {

struct Outcome {
  Result<TarContents> contents;
  std::map<std::string, std::string> files;
};

Outcome Read(const std::string& tar, const TarLimits& limits = {}, std::size_t piece = 1000) {
  MemorySource source(tar, piece);
  MemorySink sink;
  auto contents = ReadTar(source, limits, sink);
  return {std::move(contents), std::move(sink.files)};
}

using Files = std::map<std::string, std::string>;

TEST(TarReaderTest, ReadsFilesAndFolders) {
  const std::string big(2000, 'b');
  const std::string tar = TarBuilder().Folder("m/").File("m/a", "one").File("m/b", big).Build();
  const Outcome outcome = Read(tar);
  ASSERT_TRUE(outcome.contents) << outcome.contents.error().message();
  EXPECT_EQ(outcome.files, (Files{{"m/", ""}, {"m/a", "one"}, {"m/b", big}}));
  EXPECT_EQ(outcome.contents->files, 2);
  EXPECT_EQ(outcome.contents->size, Bytes(2003));
}

TEST(TarReaderTest, ReadsTheSameWhateverThePieces) {
  const std::string tar = TarBuilder().File("a", std::string(1500, 'x')).Build();
  for (const std::size_t piece : {1u, 511u, 513u, 100'000u}) {
    EXPECT_EQ(Read(tar, {}, piece).files.at("a").size(), 1500u) << piece;
  }
}

TEST(TarReaderTest, MakesFoldersTheArchiveDoesNotName) {
  EXPECT_EQ(Read(TarBuilder().File("a/b/c").Build()).files,
            (Files{{"a/", ""}, {"a/b/", ""}, {"a/b/c", "x"}}));
}

TEST(TarReaderTest, TakesAFolderNamedAfterItsFiles) {
  EXPECT_TRUE(Read(TarBuilder().File("a/b").Folder("a/").Build()).contents);
}

TEST(TarReaderTest, DropsALeadingDot) {
  EXPECT_EQ(Read(TarBuilder().Folder("./").File("./a").Build()).files, (Files{{"a", "x"}}));
}

TEST(TarReaderTest, JoinsThePrefix) {
  TarEntrySpec spec;
  spec.name = "file";
  spec.prefix = "deep/folder";
  EXPECT_TRUE(Read(TarBuilder().Add(spec).Build()).files.contains("deep/folder/file"));
}

TEST(TarReaderTest, ReadsGnuLongNames) {
  const std::string name = std::string(150, 'l') + "/" + std::string(120, 'n');
  const auto tar = TarBuilder().LongName(name).File(name.substr(0, 100)).Build();
  EXPECT_TRUE(Read(tar).files.contains(name));
}

TEST(TarReaderTest, ReadsPaxPathsSizesAndPassesOverOtherKeys) {
  const std::string records = TarBuilder::Record("path", "ünïcode") +
                              TarBuilder::Record("size", "3") + TarBuilder::Record("mtime", "1.5");
  EXPECT_EQ(Read(TarBuilder().Pax(records).File("x", "abc").Build()).files,
            (Files{{"ünïcode", "abc"}}));
}

TEST(TarReaderTest, ReadsGnuHeaders) {
  TarEntrySpec spec;
  spec.name = "a";
  spec.magic = std::string("ustar  \0", 8);
  spec.prefix = "00000000000";  // a time, in GNU's layout
  EXPECT_TRUE(Read(TarBuilder().Add(spec).Build()).files.contains("a"));
}

TEST(TarReaderTest, ReadsBase256Sizes) {
  TarEntrySpec spec;
  spec.name = "a";
  spec.data = "abc";
  spec.size_field = std::string("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12);
  EXPECT_EQ(Read(TarBuilder().Add(spec).Build()).files.at("a"), "abc");
}

TEST(TarReaderTest, TakesGlobalPaxComments) {
  const auto tar =
      TarBuilder().Typed('g', "pax_global_header", TarBuilder::Record("comment", "abc")).File("a");
  EXPECT_TRUE(Read(tar.Build()).contents);
}

TEST(TarReaderTest, TakesPaddingOfZeros) {
  EXPECT_TRUE(Read(TarBuilder().File("a").Build() + std::string(9000, '\0')).contents);
}

TEST(TarReaderTest, ReadsEmptyFiles) {
  EXPECT_EQ(Read(TarBuilder().File("a", "").Build()).files, (Files{{"a", ""}}));
}

TEST(TarReaderTest, NamesTheEntryItRefuses) {
  const auto outcome = Read(TarBuilder().File("good").Typed('2', "m/evil\n", "").Build());
  EXPECT_EQ(outcome.contents.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(outcome.contents.error().message().find("\"m/evil?\" is a symbolic link"),
            std::string::npos);
}

struct Hostile {
  const char* name;
  std::string tar;
  const char* why;
};

TarEntrySpec WithSize(const std::string& field) {
  TarEntrySpec spec;
  spec.name = "a";
  spec.size_field = field;
  return spec;
}

TarEntrySpec WithMagic(const std::string& magic) {
  TarEntrySpec spec;
  spec.name = "a";
  spec.magic = magic;
  return spec;
}

std::string Flipped(std::string tar, std::size_t at) {
  tar[at] = static_cast<char>(tar[at] ^ 1);
  return tar;
}

std::vector<Hostile> HostileNames() {
  const auto named = [](const std::string& name) { return TarBuilder().File(name).Build(); };
  const auto pax = [](const std::string& name) {
    return TarBuilder().Pax(TarBuilder::Record("path", name)).File("x").Build();
  };
  return {
      {"Absolute", named("/etc/passwd"), "absolute"},
      {"DotDot", named("../a"), ".."},
      {"InnerDotDot", named("a/../../b"), ".."},
      {"TrailingDotDot", named("a/.."), ".."},
      {"InnerDot", named("a/./b"), "."},
      {"DoubleSlash", named("a//b"), "empty part"},
      {"DotThenAbsolute", named(".//etc/passwd"), "empty part"},
      {"EmptyName", named(""), "empty name"},
      {"FileNamedLikeAFolder", named("a/"), "file and a folder"},
      {"FileThatIsTheRoot", named("."), "file and a folder"},
      {"PaxAbsolute", pax("/etc/passwd"), "absolute"},
      {"PaxDotDot", pax("a/../../b"), ".."},
      {"PaxNul", pax(std::string("a\0b", 3)), "NUL"},
      {"PaxEmpty", pax(""), "empty name"},
      {"LongNameAbsolute", TarBuilder().LongName("/a").File("a").Build(), "absolute"},
      {"LongNameNul", TarBuilder().LongName(std::string("a\0b", 3)).File("a").Build(), "NUL"},
      {"TooLong", pax(std::string(5000, 'a')), "too long"},
      {"ComponentTooLong", pax(std::string(300, 'a')), "too long"},
      {"TooDeep", pax([] {
         std::string deep;
         for (int i = 0; i < 70; ++i) deep += "d/";
         return deep + "f";
       }()),
       "too deep"},
      {"Repeated", TarBuilder().File("a").File("a").Build(), "twice"},
      {"RepeatedInAnotherSpelling", TarBuilder().File("a").File("./a").Build(), "twice"},
      {"RepeatedFolder", TarBuilder().Folder("a/").Folder("a").File("b").Build(), "twice"},
      {"FolderOverFile", TarBuilder().File("a").Folder("a/").Build(), "twice"},
      {"FileOverFolder", TarBuilder().File("a/b").File("a").Build(), "twice"},
      {"FileInAFile", TarBuilder().File("a").File("a/b").Build(), "lies in a file"},
  };
}

std::vector<Hostile> HostileKinds() {
  const auto typed = [](char type) { return TarBuilder().Typed(type, "m/a", "").Build(); };
  TarEntrySpec folder;
  folder.name = "a/";
  folder.type = '5';
  folder.data = "data";
  return {
      {"HardLink", typed('1'), "hard link"},
      {"SymbolicLink", typed('2'), "symbolic link"},
      {"CharacterDevice", typed('3'), "device"},
      {"BlockDevice", typed('4'), "device"},
      {"Fifo", typed('6'), "fifo"},
      {"Contiguous", typed('7'), "kind"},
      {"LongLink", typed('K'), "symbolic link"},
      {"Sparse", typed('S'), "sparse"},
      {"MultiVolume", typed('M'), "kind"},
      {"UnknownKind", typed('z'), "kind"},
      {"FolderWithData", TarBuilder().Add(folder).File("b").Build(), "file and a folder"},
      {"PaxSparse", TarBuilder().Pax(TarBuilder::Record("GNU.sparse.major", "1")).File("a").Build(),
       "sparse"},
  };
}

std::vector<Hostile> HostileHeaders() {
  const std::string good = TarBuilder().File("a", "abc").Build();
  const auto pax = [](const std::string& records) {
    return TarBuilder().Pax(records).File("a", "abc").Build();
  };
  const auto record = TarBuilder::Record;
  return {
      {"Empty", "", "cut short"},
      {"OnlyTheEnd", std::string(1024, '\0'), "no file"},
      {"OnlyFolders", TarBuilder().Folder("a/").Build(), "no file"},
      {"Text", std::string(2048, 'x'), "checksum"},
      {"WrongChecksum", Flipped(good, 0), "checksum"},
      {"OldFormat", TarBuilder().Add(WithMagic(std::string(8, '\0'))).Build(), "old format"},
      {"CutInTheHeader", good.substr(0, 300), "cut short"},
      {"CutInTheData", good.substr(0, 514), "cut short"},
      {"CutBeforeTheEnd", TarBuilder().File("a").Open(), "cut short"},
      {"OneZeroBlock", TarBuilder().File("a").Open() + std::string(512, '\0'), "cut short"},
      {"DataBehindTheEnd", good + "x", "behind its end"},
      {"EntryBehindTheEnd", good + TarBuilder().File("b").Build(), "behind its end"},
      {"EntryAfterOneZeroBlock",
       TarBuilder().File("a").Raw(std::string(512, '\0')).File("b").Build(), "behind its end"},
      {"SizeIsNoNumber", TarBuilder().Add(WithSize("12x4567890")).Build(), "no number"},
      {"SizeIsNegative", TarBuilder().Add(WithSize(std::string(12, '\xff'))).Build(), "no number"},
      {"SizeOverflows", TarBuilder().Add(WithSize("\x80" + std::string(11, '\xff'))).Build(),
       "no number"},
      {"PaxSizeDiffers", pax(record("size", "512")), "two different sizes"},
      {"PaxSizeIsNegative", pax(record("size", "-1")), "bad size"},
      {"PaxSizeTwice", pax(record("size", "3") + record("size", "3")), "bad size"},
      {"PaxPathTwice", pax(record("path", "a") + record("path", "b")), "two paths"},
      {"PaxRecordTooLong", pax("99 path=a\n"), "damaged"},
      {"PaxRecordTooShort", pax("2 path=a\n"), "damaged"},
      {"PaxRecordWithoutEnd", pax("8 path=a"), "damaged"},
      {"PaxRecordWithoutLength", pax("path=a\n"), "damaged"},
      {"PaxRecordWithoutKey", pax("5 =a\n"), "damaged"},
      {"TwoPaxHeaders",
       TarBuilder().Pax(record("mtime", "1")).Pax(record("mtime", "1")).File("a").Build(),
       "two pax"},
      {"TwoLongNames", TarBuilder().LongName("a").LongName("b").File("a").Build(), "two long"},
      {"LongNameAndPaxDiffer",
       TarBuilder().LongName("a").Pax(record("path", "b")).File("a").Build(),
       "two different names"},
      {"GlobalPath", TarBuilder().Typed('g', "g", record("path", "b")).File("a").Build(), "global"},
      {"EndsAfterPax", TarBuilder().File("b").Pax(record("path", "a")).Build(), "ends after"},
      {"EndsAfterLongName", TarBuilder().File("b").LongName("a").Build(), "ends after"},
  };
}

class HostileTarTest : public testing::TestWithParam<Hostile> {};

TEST_P(HostileTarTest, IsRefusedForItsReason) {
  const Outcome outcome = Read(GetParam().tar);
  ASSERT_FALSE(outcome.contents);
  EXPECT_EQ(outcome.contents.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(outcome.contents.error().message().find(GetParam().why), std::string::npos)
      << outcome.contents.error().message();
}

const auto kNameOf = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Names, HostileTarTest, testing::ValuesIn(HostileNames()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Kinds, HostileTarTest, testing::ValuesIn(HostileKinds()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Headers, HostileTarTest, testing::ValuesIn(HostileHeaders()), kNameOf);

TEST(TarReaderTest, RefusesEveryTruncation) {
  const std::string tar = TarBuilder().Folder("m").LongName("m/x").File("m/x", "abc").Build();
  for (std::size_t size = 0; size < tar.size(); size += 37) {
    EXPECT_FALSE(Read(tar.substr(0, size)).contents) << size;
  }
}

// What stands behind a NUL is a part of the name to some readers and not to others.
TEST(TarReaderTest, RefusesANulInAName) {
  TarEntrySpec spec;
  spec.name = std::string("a\0b", 3);
  EXPECT_FALSE(Read(TarBuilder().Add(spec).Build()).contents);
  spec.name = "a";
  spec.prefix = std::string("m\0x", 3);
  EXPECT_FALSE(Read(TarBuilder().Add(spec).Build()).contents);
  const auto inside = std::string("a\0b", 3);
  EXPECT_FALSE(Read(TarBuilder().LongName(inside).File("a").Build()).contents);
  EXPECT_FALSE(
      Read(TarBuilder().Pax(TarBuilder::Record("path", inside)).File("a").Build()).contents);
}

TEST(TarReaderTest, HoldsItsLimits) {
  const auto code = [](const std::string& tar, const TarLimits& limits) {
    return Read(tar, limits).contents.error().code();
  };
  TarLimits limits;
  limits.total_size = Bytes(5);
  EXPECT_EQ(code(TarBuilder().File("a", "abc").File("b", "abc").Build(), limits),
            ErrorCode::kTooLarge);
  EXPECT_TRUE(Read(TarBuilder().File("a", "abcde").Build(), limits).contents);
  limits = {};
  limits.entries = 2;
  EXPECT_EQ(code(TarBuilder().File("a").File("b").File("c").Build(), limits), ErrorCode::kTooLarge);
  limits = {};
  limits.all_names = Bytes(10);
  EXPECT_EQ(code(TarBuilder().File("long-enough/name").Build(), limits), ErrorCode::kTooLarge);
}

TEST(TarReaderTest, RefusesAHugeSizeBeforeReadingIt) {
  TarEntrySpec spec;
  spec.name = "a";
  spec.size_field = std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12);
  EXPECT_EQ(Read(TarBuilder().Add(spec).Build()).contents.error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(Read(TarBuilder().Typed('x', "x", "").Add(spec).Build()).contents.error().code(),
            ErrorCode::kTooLarge);
}

TEST(TarReaderTest, RefusesAHugeExtendedHeader) {
  TarEntrySpec spec;
  spec.name = "x";
  spec.type = 'x';
  spec.size_field = "77777777777";
  EXPECT_EQ(Read(TarBuilder().Add(spec).Build()).contents.error().code(), ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace mlprof
