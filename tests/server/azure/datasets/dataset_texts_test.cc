#include "server/azure/datasets/dataset_texts.h"

#include "tests/server/registry/registry_fixture.h"

namespace mlprof::server {
namespace {

class DatasetTextsTest : public RegistryTest {
 protected:
  Result<SpooledBody> Get(const std::string& digest) {
    return texts_.Get(digest, [&]() -> Result<std::unique_ptr<RowSource>> {
      ++reads_;
      return std::make_unique<HeldRows>(Rows{"rows of " + digest});
    });
  }
  DatasetTexts texts_{*content_};
  int reads_ = 0;
};

TEST_F(DatasetTextsTest, AreMadeOnce) {
  const auto first = Get("a");
  ASSERT_TRUE(first);
  EXPECT_EQ(Content(*first->file), "rows of a\n");
  EXPECT_EQ(first->size, Bytes(10));
  EXPECT_EQ(Get("a")->file, first->file);
  EXPECT_EQ(reads_, 1);
}

TEST_F(DatasetTextsTest, GoWithTheirLastOwnerOnceOthersTookTheirPlace) {
  auto held = Get("held");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Get(std::to_string(i)));
  const std::filesystem::path file = *held->file;
  EXPECT_EQ(Content(file), "rows of held\n");
  const std::size_t kept = FilesUnder("incoming");
  EXPECT_LT(kept, 20u);
  held = Fail(NotFound("let go"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(FilesUnder("incoming"), kept - 1);
}

TEST_F(DatasetTextsTest, OfRowsThatAreNoTextThereIsNone) {
  const auto text = texts_.Get("x", []() -> Result<std::unique_ptr<RowSource>> {
    return std::make_unique<HeldRows>(Rows{"\xff"});
  });
  EXPECT_FALSE(text);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

}  // namespace
}  // namespace mlprof::server
