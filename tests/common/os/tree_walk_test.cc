#include "common/os/tree_walk.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "common/os/remove_tree.h"
#include "tests/common/os/deep_tree.h"
#include "tests/fakes/soon.h"

namespace mlprof {
namespace {

namespace fs = std::filesystem;
using fakes::MakeDeepTree;

using fakes::Soon;

// So few that a descriptor for each level would not do.
class FewDescriptors {
 public:
  FewDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{64, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

class TreeTest : public ::testing::Test {
 protected:
  TreeTest() {
    char name[] = "/tmp/tree-test.XXXXXX";
    top_ = ::mkdtemp(name);
    tree_ = top_ / "tree";
    fs::create_directory(tree_);
  }
  ~TreeTest() override { EXPECT_TRUE(RemoveTree(top_, Soon())); }

  std::multiset<std::string> Names() {
    std::multiset<std::string> names;
    const auto walk = WalkTree(tree_, {1'000'000, Soon()},
                               [&](const WalkedEntry& entry) { names.insert(entry.name); });
    EXPECT_TRUE(walk);
    return names;
  }
  void ExpectRemoved() {
    const Status removed = RemoveTree(tree_, Soon());
    EXPECT_TRUE(removed) << removed.error().message();
    EXPECT_FALSE(fs::exists(fs::symlink_status(tree_)));
  }

  fs::path top_;
  fs::path tree_;
};

TEST_F(TreeTest, AWalkSeesEveryEntryOnce) {
  fs::create_directories(tree_ / "a/b/c");
  std::ofstream(tree_ / "a/b/c/file") << "x";
  std::ofstream(tree_ / "a/other") << "x";
  EXPECT_EQ(Names(), (std::multiset<std::string>{"a", "b", "c", "file", "other"}));
}

TEST_F(TreeTest, AWalkComesBackToWhatLiesBesideADeepFolder) {
  // On every level a file and a second folder, so that each is gone on with after a deeper one.
  UniqueFd folder(::open(tree_.c_str(), O_RDONLY | O_DIRECTORY));
  for (int level = 0; level < 100; ++level) {
    for (const char* name : {"a", "z", "d"}) ::mkdirat(folder.get(), name, 0755);
    const UniqueFd file(::openat(folder.get(), "file", O_CREAT | O_WRONLY, 0644));
    folder.Reset(::openat(folder.get(), "d", O_RDONLY | O_DIRECTORY));
  }
  const auto names = Names();
  for (const char* name : {"a", "z", "d", "file"}) EXPECT_EQ(names.count(name), 100u) << name;
}

TEST_F(TreeTest, ThreeThousandLevelsAreWalkedAndRemovedWithFewDescriptors) {
  const UniqueFd innermost = MakeDeepTree(tree_, 3'000);
  const UniqueFd file(::openat(innermost.get(), "file", O_CREAT | O_WRONLY, 0644));
  const FewDescriptors few;
  EXPECT_EQ(Names().count("d"), 3'000u);
  EXPECT_EQ(Names().count("file"), 1u);
  ExpectRemoved();
}

TEST_F(TreeTest, PathsBeyondTheLongestPathAreWalkedAndRemoved) {
  const std::string name(255, 'n');
  ASSERT_TRUE(MakeDeepTree(tree_, 200, name));  // 51,200 bytes of path
  EXPECT_EQ(Names().count(name), 200u);
  ExpectRemoved();
}

TEST_F(TreeTest, LinksAreSeenAndRemovedButNeverFollowed) {
  fs::create_directory(top_ / "outside");
  std::ofstream(top_ / "outside/kept") << "x";
  fs::create_symlink(top_ / "outside", tree_ / "link");
  fs::create_directories(tree_ / "d/e");
  fs::create_symlink("../../..", tree_ / "d/e/up");
  EXPECT_EQ(Names(), (std::multiset<std::string>{"link", "d", "e", "up"}));
  ExpectRemoved();
  EXPECT_TRUE(fs::exists(top_ / "outside/kept"));
}

TEST_F(TreeTest, ALinkInTheTreesPlaceIsRemovedAlone) {
  fs::create_directory(top_ / "outside");
  fs::remove(tree_);
  fs::create_symlink(top_ / "outside", tree_);
  ExpectRemoved();
  EXPECT_TRUE(fs::exists(top_ / "outside"));
}

TEST_F(TreeTest, MoreEntriesThanTheBoundEndTheWalk) {
  for (int i = 0; i < 100; ++i) std::ofstream(tree_ / std::to_string(i));
  std::int64_t seen = 0;
  const auto walk = WalkTree(tree_, {99, Soon()}, [&](const WalkedEntry&) { ++seen; });
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->end, WalkEnd::kTooManyEntries);
  EXPECT_EQ(walk->entries, 99);
  EXPECT_EQ(seen, 99);
  const auto whole = WalkTree(tree_, {100, Soon()}, [](const WalkedEntry&) {});
  EXPECT_EQ(whole->end, WalkEnd::kComplete);
}

TEST_F(TreeTest, AVisitorMayGiveUpNowAndThen) {
  for (int i = 0; i < 1000; ++i) std::ofstream(tree_ / std::to_string(i));
  std::int64_t seen = 0;
  const auto walk = WalkTree(tree_, {1000, Soon(), [&] { return seen > 0; }},
                             [&](const WalkedEntry&) { ++seen; });
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->end, WalkEnd::kGivenUp);
  EXPECT_LT(seen, 500);
}

TEST_F(TreeTest, AHundredThousandEntriesAreBoundedCountedAndRemoved) {
  const UniqueFd folder(::open(tree_.c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < 100'000; ++i) {
    ::symlinkat("nowhere", folder.get(), std::to_string(i).c_str());
  }
  const auto walk = WalkTree(tree_, {50'000, Soon()}, [](const WalkedEntry&) {});
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->end, WalkEnd::kTooManyEntries);
  EXPECT_EQ(Names().size(), 100'000u);
  ExpectRemoved();
}

TEST_F(TreeTest, APassedDeadlineEndsBoth) {
  fs::create_directories(tree_ / "a/b");
  const Deadline passed = Deadline::After(std::chrono::seconds(-1));
  const auto walk = WalkTree(tree_, {100, passed}, [](const WalkedEntry&) {});
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->end, WalkEnd::kOutOfTime);
  const Status removed = RemoveTree(tree_, passed);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code(), ErrorCode::kDeadlineExceeded);
}

TEST_F(TreeTest, FoldersThatAreMovedMeanwhileLeadTheWalkNowhereElse) {
  MakeDeepTree(tree_, 40);
  fs::create_directory(top_ / "elsewhere");
  std::ofstream(top_ / "elsewhere/secret") << "x";
  int level = 0;
  bool secret_seen = false;
  const auto walk = WalkTree(tree_, {1'000, Soon()}, [&](const WalkedEntry& entry) {
    secret_seen = secret_seen || std::string_view(entry.name) == "secret";
    // Beyond the levels that stay open: the folder it is in then has another one above.
    if (++level == 30) {
      fs::path moved = tree_;
      for (int i = 0; i < 25; ++i) moved /= "d";
      fs::rename(moved, top_ / "elsewhere/moved");
    }
  });
  ASSERT_TRUE(walk);
  EXPECT_TRUE(walk->moved_meanwhile);
  EXPECT_FALSE(secret_seen);
}

TEST_F(TreeTest, FoldersWithoutRightsAreRemoved) {
  fs::create_directories(tree_ / "a/b/c");
  ::chmod((tree_ / "a/b").c_str(), 0);
  ::chmod((tree_ / "a").c_str(), 0500);
  ExpectRemoved();
}

TEST_F(TreeTest, WhatIsNotThereIsRemovedAlready) {
  EXPECT_TRUE(RemoveTree(top_ / "nothing", Soon()));
  EXPECT_FALSE(WalkTree(top_ / "nothing", {10, Soon()}, [](const WalkedEntry&) {}));
}

// Of another file system, and of the same one, which no device number tells apart.
class MountInTreeTest : public TreeTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    fs::create_directories(top_ / "outside");
    fs::create_directories(tree_ / "d/mount");
    const bool bind = std::string_view(GetParam()) == "bind";
    const int mounted =
        bind ? ::mount((top_ / "outside").c_str(), Mount().c_str(), nullptr, MS_BIND, nullptr)
             : ::mount("none", Mount().c_str(), "tmpfs", 0, "size=1m");
    ASSERT_EQ(mounted, 0) << "this test mounts: run it as root";
    std::ofstream(Mount() / "kept") << "x";
  }
  void TearDown() override { ::umount2(Mount().c_str(), MNT_DETACH); }
  fs::path Mount() const { return tree_ / "d/mount"; }
};

TEST_P(MountInTreeTest, IsNeitherEnteredNorEmptied) {
  EXPECT_EQ(Names().count("kept"), 0u);
  const Status removed = RemoveTree(tree_, Soon());
  EXPECT_FALSE(removed);
  EXPECT_TRUE(fs::exists(Mount() / "kept"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, MountInTreeTest, ::testing::Values("tmpfs", "bind"));

}  // namespace
}  // namespace mlprof
