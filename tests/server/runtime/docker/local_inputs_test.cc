#include "server/runtime/docker/local_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/folder_input.h"

namespace mlprof::server::docker {
namespace {

class FarContent final : public ContentReader {
 public:
  std::optional<std::filesystem::path> LocalDirectory() const override { return std::nullopt; }
  Result<std::unique_ptr<ByteSource>> OpenTar() const override { return Fail(NotFound("far")); }
  Result<std::string> ReadFile(const std::string&, Bytes) const override {
    return Fail(NotFound("far"));
  }
};

TEST(LocalInputsTest, AreTheFoldersOfThisMachine) {
  const auto local = LocalInputs({fakes::FolderInput("/data/a", "/models/a")});
  ASSERT_TRUE(local) << local.error().message();
  ASSERT_EQ(local->size(), 1u);
  EXPECT_EQ(local->front().here, "/data/a");
  EXPECT_EQ(local->front().inside, "/models/a");
}

TEST(LocalInputsTest, RefusesWhatLiesOnNoDiskOfThisMachine) {
  const ContentInput far{"", Bytes(), "/models/b", std::make_shared<FarContent>()};
  const auto local = LocalInputs({fakes::FolderInput("/data/a", "/models/a"), far});
  ASSERT_FALSE(local);
  EXPECT_EQ(local.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(local.error().message(), ::testing::HasSubstr("/models/b"));
}

}  // namespace
}  // namespace mlprof::server::docker
