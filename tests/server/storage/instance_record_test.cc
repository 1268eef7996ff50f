#include "server/storage/instance_record.h"

#include <gtest/gtest.h>

#include <fstream>

#include "server/storage/content_store.h"
#include "server/storage/data_directory.h"
#include "server/storage/database.h"
#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

const InstanceRecord kRecord{"0123456789abcdef", "machine-a", "/srv/data"};

TEST(WhereaboutsOf, TellsAMoveFromACopyByTheFormerPlace) {
  InstanceRecord here = kRecord;
  EXPECT_EQ(WhereaboutsOf(kRecord, here, false), Whereabouts::kInPlace);
  here.path = "/srv/other";
  EXPECT_EQ(WhereaboutsOf(kRecord, here, false), Whereabouts::kMoved);
  EXPECT_EQ(WhereaboutsOf(kRecord, here, true), Whereabouts::kCopied);
}

TEST(WhereaboutsOf, KnowsAnotherMachineWhereBothHaveNames) {
  InstanceRecord here = kRecord;
  here.machine = "machine-b";
  EXPECT_EQ(WhereaboutsOf(kRecord, here, false), Whereabouts::kOtherMachine);
  here.machine = "";
  EXPECT_EQ(WhereaboutsOf(kRecord, here, false), Whereabouts::kInPlace);
}

// As a server does at its start.
Instance Start(const fs::path& directory, const std::string& machine = "machine-a") {
  const auto held = DataDirectory::Open(directory);
  EXPECT_TRUE(held);
  const auto database = Database::Open(held->DatabaseFile());
  EXPECT_TRUE(database);
  EXPECT_TRUE(ContentStore::Open(held->path()));
  return SettleInstance(**database, held->path(), machine).value();
}

TEST(SettleInstance, ACopyLeavesTheOriginalItsContainers) {
  const TemporaryDirectory folder;
  const Instance original = Start(folder / "data");
  fs::copy(folder / "data", folder / "copy", fs::copy_options::recursive);
  const Instance copy = Start(folder / "copy");
  EXPECT_EQ(copy.whereabouts, Whereabouts::kCopied);
  EXPECT_NE(copy.id, original.id);
  EXPECT_EQ(Start(folder / "copy").id, copy.id) << "it stays what it has become";
  const Instance again = Start(folder / "data");
  EXPECT_EQ(again.whereabouts, Whereabouts::kInPlace);
  EXPECT_EQ(again.id, original.id);
}

TEST(SettleInstance, AMovedDirectoryKeepsItsContainers) {
  const TemporaryDirectory folder;
  const Instance before = Start(folder / "data");
  fs::rename(folder / "data", folder / "elsewhere");
  const Instance after = Start(folder / "elsewhere");
  EXPECT_EQ(after.whereabouts, Whereabouts::kMoved);
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(Start(folder / "elsewhere").whereabouts, Whereabouts::kInPlace);
}

TEST(SettleInstance, OneDirectoryUnderTwoPathsIsNoCopy) {
  const TemporaryDirectory folder;
  const Instance first = Start(folder / "data");
  fs::create_directory_symlink(folder / "data", folder / "link");
  EXPECT_EQ(Start(folder / "link").id, first.id);
}

TEST(SettleInstance, OnAnotherMachineItIsAnother) {
  const TemporaryDirectory folder;
  const Instance before = Start(folder / "data");
  const Instance after = Start(folder / "data", "machine-b");
  EXPECT_EQ(after.whereabouts, Whereabouts::kOtherMachine);
  EXPECT_NE(after.id, before.id);
}

TEST(SettleInstance, ADirectoryFromBeforeKeepsItsId) {
  const TemporaryDirectory folder;
  const Instance before = Start(folder / "data");
  fs::remove(folder / "data" / "instance.json");
  EXPECT_EQ(Start(folder / "data").id, before.id);
}

}  // namespace
}  // namespace mlprof::server
