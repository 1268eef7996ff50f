#include "server/registry/packed_row_source.h"

#include <gtest/gtest.h>

#include "server/registry/packed_rows.h"
#include "server/storage/file_digest.h"
#include "tests/server/registry/registry_fixture.h"

namespace mlprof::server {
namespace {

class PackedRowSourceTest : public testing::Test {
 protected:
  // Some empty, some longer than what is read at once.
  static Rows SomeRows() {
    Rows rows = {"", "a", std::string("\0\xff", 2), ""};
    for (std::size_t i = 0; i < 300; ++i) rows.push_back(std::string(i * 97 % 251, 'x'));
    rows.push_back(std::string(3 << 20, 'y'));
    rows.push_back("last");
    return rows;
  }
  std::filesystem::path Packed(const Rows& rows) {
    const auto file = folder_ / "rows";
    EXPECT_TRUE(WritePackedRows(file, rows));
    return file;
  }

  TemporaryDirectory folder_;
};

TEST_F(PackedRowSourceTest, ReadsEachRowInAnyOrder) {
  const Rows rows = SomeRows();
  const auto source = OpenPackedRows(Packed(rows), PackedDigest(rows));
  ASSERT_TRUE(source) << source.error().message();
  ASSERT_EQ((*source)->count(), rows.size());
  EXPECT_EQ((*source)->Held(0), nullptr);
  std::string row = "of before";
  for (std::uint32_t i = static_cast<std::uint32_t>(rows.size()); i-- > 0;) {
    EXPECT_EQ((*source)->SizeOf(i), Bytes(std::ssize(rows[i])));
    ASSERT_TRUE((*source)->Read(i, row));
    EXPECT_TRUE(row == rows[i]) << i;
  }
}

TEST_F(PackedRowSourceTest, RefusesAFileThatIsNotWhatWasStored) {
  const Rows rows = {"one", "two"};
  const auto file = Packed(rows);
  EXPECT_EQ(OpenPackedRows(file, PackedDigest({"other"})).error().code(), ErrorCode::kInternal);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  const std::string digest = FileDigest(file).value();
  EXPECT_EQ(OpenPackedRows(file, digest).error().code(), ErrorCode::kInternal);
  EXPECT_FALSE(OpenPackedRows(folder_ / "none", digest));
}

TEST_F(PackedRowSourceTest, SaysThatARowCannotBeReadAnyMore) {
  const Rows rows = {"one", "two"};
  const auto file = Packed(rows);
  const auto source = OpenPackedRows(file, PackedDigest(rows));
  ASSERT_TRUE(source);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  std::string row;
  EXPECT_TRUE((*source)->Read(0, row));
  EXPECT_EQ((*source)->Read(1, row).error().code(), ErrorCode::kInternal);
}

TEST_F(PackedRowSourceTest, StopsWhenItIsAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto file = Packed({"one"});
  EXPECT_EQ(OpenPackedRows(file, PackedDigest({"one"}), stop.get_token()).error().code(),
            ErrorCode::kCancelled);
}

class DatasetRowsTest : public RegistryTest {
 protected:
  Dataset Register(const std::string& body) {
    return datasets_.Register({"default", "rows", "", "text/plain"}, Upload(body), {}).value();
  }
};

TEST_F(DatasetRowsTest, AreHeldWhereTheyAreFewAndReadWhereTheyAreMany) {
  const auto few = datasets_.OpenRows(Register("a\nb\n"));
  ASSERT_TRUE(few);
  EXPECT_EQ((*few)->count(), 2U);
  ASSERT_NE((*few)->Held(1), nullptr);
  EXPECT_EQ(*(*few)->Held(1), "b");

  const std::string large(17 << 20, 'x');
  const auto many = datasets_.OpenRows(Register("a\n" + large + "\n"));
  ASSERT_TRUE(many) << many.error().message();
  EXPECT_EQ((*many)->Held(1), nullptr);
  std::string row;
  ASSERT_TRUE((*many)->Read(1, row));
  EXPECT_TRUE(row == large);
}

TEST_F(DatasetRowsTest, AreDamagedForGoodWhereTheirFileIs) {
  const Dataset dataset = Register("a\n" + std::string(17 << 20, 'x') + "\n");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "content")) {
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 15);
  }
  EXPECT_EQ(datasets_.OpenRows(dataset).error().code(), ErrorCode::kConflict);
}

TEST(RowIndexTest, KnowsWhereEachRowBegins) {
  RowIndex index(8);
  std::int64_t offset = 8;
  for (std::uint32_t i = 0; i < 1000; ++i) index.Add(i % 7);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(index.OffsetOf(i), offset);
    EXPECT_EQ(index.SizeOf(i), i % 7);
    offset += 4 + i % 7;
  }
}

}  // namespace
}  // namespace mlprof::server
