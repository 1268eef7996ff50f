#include "server/storage/quarantine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "common/hash/sha256.h"
#include "server/storage/content_store.h"
#include "tests/fakes/failing_sync.h"
#include "tests/server/storage/damaged_file.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

class QuarantineTest : public testing::Test {
 protected:
  std::string Store(const std::string& bytes) {
    const fs::path file = content_->NewIncomingPath();
    std::ofstream(file) << bytes;
    const std::string sha256 = Sha256Hex(bytes);
    const ContentClaim claim(*content_, sha256);
    EXPECT_TRUE(content_->PutFile(file, claim));
    const fs::path tree = content_->NewIncomingPath();
    fs::create_directories(tree / "folder");
    std::ofstream(tree / "folder/file") << bytes;
    EXPECT_TRUE(content_->PutTree(tree, claim));
    return sha256;
  }
  /// What was moved `ago`, with so many bytes.
  fs::path Moved(hours ago, std::size_t size) {
    const fs::path batch = content_->quarantine().NewBatch(now_ - ago);
    EXPECT_TRUE(content_->MoveTo(batch, Store(std::string(size, 'x'))));
    return batch;
  }
  Status Prune(const QuarantineLimits& limits) { return content_->PruneQuarantine(now_, limits); }

  TemporaryDirectory folder_;
  std::unique_ptr<ContentStore> content_ = ContentStore::Open(folder_.path()).value();
  const Timestamp now_ = Now();
};

TEST_F(QuarantineTest, TakesFileAndTreeAndGivesTheFileBack) {
  const std::string sha256 = Store("weights");
  const fs::path batch = content_->quarantine().NewBatch(now_);
  EXPECT_EQ(content_->MoveTo(batch, sha256).value(), Bytes(14));
  EXPECT_FALSE(content_->HasFile(sha256));
  EXPECT_EQ(BytesOf(batch / "content" / sha256), "weights");
  EXPECT_EQ(BytesOf(batch / "trees" / sha256 / "folder/file"), "weights");
  EXPECT_TRUE(content_->TakeBack(sha256, {}).value());
  EXPECT_EQ(BytesOf(content_->FilePath(sha256)), "weights");
  EXPECT_FALSE(content_->TakeBack(std::string(64, '0'), {}).value());
}

TEST_F(QuarantineTest, GivesNothingBackThatIsNotWhatItsNameSays) {
  const std::string sha256 = Store("weights");
  const fs::path older = content_->quarantine().NewBatch(now_ - hours(1));
  ASSERT_TRUE(content_->MoveTo(older, sha256));
  Store("weights");
  const fs::path newer = content_->quarantine().NewBatch(now_);
  ASSERT_TRUE(content_->MoveTo(newer, sha256));
  WriteBytes(newer / "content" / sha256, "weightz");
  EXPECT_TRUE(content_->TakeBack(sha256, {}).value());  // from the older one
  EXPECT_EQ(BytesOf(content_->FilePath(sha256)), "weights");
  EXPECT_TRUE(fs::exists(newer / "content" / sha256));
}

TEST_F(QuarantineTest, NeverMixesTwoBatches) {
  const fs::path first = Moved(hours(0), 1);
  EXPECT_NE(content_->quarantine().NewBatch(now_), first);
}

TEST_F(QuarantineTest, IsEmptiedAfterAWeek) {
  const fs::path old = Moved(hours(7 * 24 + 1), 10);
  const fs::path young = Moved(hours(6 * 24), 10);
  ASSERT_TRUE(Prune({.free_share = 0}));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(QuarantineTest, LosesTheOldestWhenItIsTooLargeButNothingOfToday) {
  const fs::path oldest = Moved(hours(72), 1000);
  const fs::path old = Moved(hours(48), 1000);
  const fs::path today = Moved(hours(1), 1000);
  ASSERT_TRUE(Prune({.size = Bytes(4500), .free_share = 0}));  // file and tree: 2000 each
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(old));
  ASSERT_TRUE(Prune({.size = Bytes(0), .free_share = 0}));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(today));
}

TEST_F(QuarantineTest, LosesTheOldestWhenTheDiskIsShort) {
  const fs::path old = Moved(hours(48), 10);
  const fs::path today = Moved(hours(1), 10);
  ASSERT_TRUE(Prune({.free_share = 2}));  // more than any disk has
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(today));
}

TEST_F(QuarantineTest, HoldsNobodyUpWhileABatchGoes) {
  const fs::path old = Moved(hours(8 * 24), 10);
  HeldSync slow("/trees");
  auto pruning = std::async(std::launch::async, [&] { return Prune({.free_share = 0}); });
  ASSERT_TRUE(slow.Await());
  EXPECT_FALSE(fs::exists(old));
  auto others = std::async(std::launch::async, [&] { return Store("weights"); });
  EXPECT_EQ(others.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  slow.Release();
  EXPECT_TRUE(pruning.get());
  EXPECT_TRUE(content_->HasFile(others.get()));
  EXPECT_TRUE(fs::is_empty(folder_ / "incoming"));
}

TEST_F(QuarantineTest, LeavesAloneWhatItDidNotMake) {
  const fs::path foreign = folder_ / "quarantine/0-kept-by-hand";
  fs::create_directories(foreign);
  ASSERT_TRUE(Prune({.kept = hours(0), .kept_at_least = hours(0)}));
  EXPECT_TRUE(fs::exists(foreign));
}

}  // namespace
}  // namespace mlprof::server
