#include "server/registry/verified_tree.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "tests/common/tar/tar_builder.h"
#include "tests/server/registry/registry_fixture.h"
#include "tests/server/storage/damaged_file.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

class VerifiedTreeTest : public RegistryTest {
 protected:
  Result<Model> Register() {
    NewModel model;
    model.workspace = "default";
    model.name = "words";
    return models_.Register(model, Upload(tar_), {});
  }
  Result<VerifiedContent> Verified() { return models_.Verified(model_, {}); }
  void Damage(const fs::path& file) {
    std::string bytes = BytesOf(file);
    const std::size_t at = bytes.find("weights");
    ASSERT_NE(at, std::string::npos);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    WriteBytes(file, bytes);
  }

  const std::string tar_ =
      TarBuilder().File("words/model.bin", "weights").File("words/empty", "").Build();
  const Model model_ = Register().value();
  const fs::path tar_file_ = content_->FilePath(model_.sha256);
  const fs::path tree_ = content_->TreePath(model_.sha256);
};

TEST_F(VerifiedTreeTest, GivesAFolderThatIsAsItWasUnpacked) {
  EXPECT_EQ(Verified()->files, tree_);
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

TEST_F(VerifiedTreeTest, UnpacksAgainWhatChangedInTheFolder) {
  Damage(tree_ / "words/model.bin");
  ASSERT_TRUE(Verified());
  EXPECT_EQ(Content(tree_ / "words/model.bin"), "weights");
  for (const char* damage : {"lost", "longer", "shorter", "more", "link"}) {
    const std::string kind = damage;
    const fs::path file = tree_ / "words/model.bin";
    if (kind == "lost") fs::remove(file);
    if (kind == "longer") WriteBytes(file, "weights!");
    if (kind == "shorter") WriteBytes(file, "weight");
    if (kind == "more") WriteBytes(tree_ / "more", "");
    if (kind == "link") {
      fs::rename(file, folder_ / "elsewhere");
      fs::create_symlink(folder_ / "elsewhere", file);
    }
    ASSERT_TRUE(Verified()) << kind;
    EXPECT_EQ(Content(file), "weights") << kind;
    EXPECT_FALSE(fs::is_symlink(file)) << kind;
    EXPECT_EQ(FilesUnder("trees"), 2u) << kind;
  }
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

TEST_F(VerifiedTreeTest, UnpacksALostFolderAgain) {
  fs::remove_all(tree_);
  ASSERT_TRUE(Verified());
  EXPECT_EQ(Content(tree_ / "words/model.bin"), "weights");
}

TEST_F(VerifiedTreeTest, NamesTheModelWhoseFileIsDamaged) {
  Damage(tar_file_);
  for (const bool without_tree : {false, true}) {
    if (without_tree) fs::remove_all(tree_);
    const auto refused = Verified();
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("the model words:1 is damaged"), std::string::npos);
    EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  }
  EXPECT_EQ(models_.Archive(model_).error().code(), ErrorCode::kInternal);
}

TEST_F(VerifiedTreeTest, NamesTheModelWhoseTarIsNoneAnyMore) {
  std::string bytes = BytesOf(tar_file_);
  bytes[0] = static_cast<char>(bytes[0] ^ 1);  // of a header: its own checksum is wrong
  WriteBytes(tar_file_, bytes);
  const auto refused = Verified();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the model words:1 is damaged"), std::string::npos);
}

TEST_F(VerifiedTreeTest, RegisteringAgainMendsADamagedFile) {
  Damage(tar_file_);
  ASSERT_TRUE(Register());
  EXPECT_TRUE(Verified());
  EXPECT_EQ(Content(models_.Archive(model_).value()), tar_);
}

TEST_F(VerifiedTreeTest, SaysThatTheFileIsMissing) {
  fs::remove(tar_file_);
  const auto refused = Verified();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the model words:1 are missing"), std::string::npos);
  EXPECT_EQ(refused.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(models_.Archive(model_).error().code(), ErrorCode::kInternal);
}

// It may be readable again in a moment: nothing is said of the content.
TEST_F(VerifiedTreeTest, TakesAFaultOfTheMachineForNoDamage) {
  rlimit most{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &most), 0);
  rlimit none = most;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto refused = Verified();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &most), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInternal) << refused.error().message();
  EXPECT_TRUE(Verified());
}

TEST_F(VerifiedTreeTest, EndsAtTheStop) {
  std::stop_source stop;
  stop.request_stop();
  for (const bool unpacked : {true, false}) {
    if (!unpacked) fs::remove_all(tree_);
    const auto stopped = models_.Verified(model_, stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code(), ErrorCode::kCancelled);
  }
  EXPECT_EQ(FilesUnder("incoming"), 0u);
}

// A stop ends what reads the file; what does not read it does not see the stop.
TEST_F(VerifiedTreeTest, ReadsAFileOnceUntilItChanges) {
  std::stop_source stop;
  stop.request_stop();
  const auto known = [&] {
    return VerifyFile(*content_, model_.sha256, "it", stop.get_token()).has_value();
  };
  EXPECT_FALSE(known());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!known() && std::chrono::steady_clock::now() < until) {
    ASSERT_TRUE(VerifyFile(*content_, model_.sha256, "it"));
  }
  EXPECT_TRUE(known());
  Damage(tar_file_);
  EXPECT_FALSE(known());
  EXPECT_FALSE(models_.Archive(model_));
}

TEST_F(VerifiedTreeTest, WaitsForAnothersTurnSoLong) {
  const auto turn = content_->known().Turn();
  ASSERT_TRUE(turn);
  std::jthread([&] {
    const auto refused = content_->known().Turn(std::chrono::milliseconds(1));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  }).join();
}

TEST_F(VerifiedTreeTest, LooksAtSourcesToo) {
  const auto id = sources_.Register("default", Upload(tar_));
  EXPECT_TRUE(sources_.Verified("default", *id, {}));
  Damage(tar_file_);
  const auto refused = sources_.Verified("default", *id, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the source " + *id), std::string::npos);
  EXPECT_EQ(sources_.Verified("elsewhere", *id, {}).error().code(), ErrorCode::kNotFound);
}

TEST_F(VerifiedTreeTest, NamesTheDatasetWhoseRowsAreDamaged) {
  NewDataset wanted;
  wanted.workspace = "default";
  wanted.name = "rows";
  const auto dataset = datasets_.RegisterRows(wanted, {"the weights", "b"}, {});
  ASSERT_TRUE(dataset) << dataset.error().message();
  Damage(content_->FilePath(dataset->sha256));
  EXPECT_EQ(datasets_.ReadRows(*dataset).error().code(), ErrorCode::kConflict);
  for (const std::string& message :
       {MessageOf(datasets_.ReadRows(*dataset)), MessageOf(datasets_.ReadRowsPage(*dataset, {}))}) {
    EXPECT_NE(message.find("the dataset rows:1 is damaged"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace mlprof::server
