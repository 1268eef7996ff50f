// On folders that hold the files which the kernel would make. A folder with files cannot be removed
// by rmdir, so what is asked here is what is made and written.
#include "server/runtime/process/cgroup/cgroup_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/server/storage/temporary_directory.h"

namespace mlprof::server::process {
namespace {

namespace fs = std::filesystem;

class Hierarchies {
 public:
  std::string Folder(const std::string& name) const { return directory_.path() / name; }
  void File(const std::string& folder, const std::string& name, const std::string& text = "") {
    fs::create_directories(folder);
    std::ofstream(fs::path(folder) / name) << text;
  }
  std::string Read(const std::string& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TemporaryDirectory directory_;
};

CgroupLocation Version1(const Hierarchies& at) {
  CgroupLocation own;
  own.version = 1;
  own.cpu = at.Folder("cpu");
  own.cpuacct = at.Folder("cpuacct");
  own.memory = at.Folder("memory");
  for (const std::string& folder : {own.cpu, own.cpuacct, own.memory}) {
    fs::create_directories(folder);
  }
  return own;
}

TEST(CgroupTree, MakesOneFolderInEachHierarchyOfVersion1) {
  const Hierarchies at;
  CgroupTree tree(Version1(at), "0123456789abcdef");
  const auto cgroup = tree.Make("model-1");
  ASSERT_TRUE(cgroup) << cgroup.error().message();
  EXPECT_EQ((*cgroup)->Folders(),
            (std::vector<std::string>{at.Folder("cpu/mlprof-0123456789ab/model-1"),
                                      at.Folder("cpuacct/mlprof-0123456789ab/model-1"),
                                      at.Folder("memory/mlprof-0123456789ab/model-1")}));
  for (const std::string& folder : (*cgroup)->Folders()) EXPECT_TRUE(fs::is_directory(folder));
  EXPECT_TRUE((*cgroup)->Remove());
  for (const std::string& folder : (*cgroup)->Folders()) EXPECT_FALSE(fs::exists(folder));
}

TEST(CgroupTree, WritesLimitsOfVersion1IntoTheirHierarchies) {
  Hierarchies at;
  const std::string cpu = at.Folder("c");
  const std::string memory = at.Folder("m");
  for (const char* file : {"cpu.cfs_period_us", "cpu.cfs_quota_us"}) at.File(cpu, file);
  for (const char* file : {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}) {
    at.File(memory, file);
  }
  const ModelCgroup cgroup(1, {{"cpu", cpu}, {"memory", memory}});
  const Status limited = cgroup.Limit(Limits(Cores(0.5), MiB(96)));
  ASSERT_TRUE(limited) << limited.error().message();
  EXPECT_EQ(at.Read(cpu + "/cpu.cfs_quota_us"), "50000");
  EXPECT_EQ(at.Read(memory + "/memory.limit_in_bytes"), "100663296");
  EXPECT_EQ(at.Read(memory + "/memory.memsw.limit_in_bytes"), "100663296");
  ASSERT_TRUE(cgroup.SetCpu(Cores(0.3)));
  EXPECT_EQ(at.Read(cpu + "/cpu.cfs_quota_us"), "30000");
}

TEST(CgroupTree, WritesLimitsOfVersion2IntoOneFolder) {
  Hierarchies at;
  const std::string folder = at.Folder("unified/model");
  for (const char* file : {"cpu.max", "memory.max", "memory.swap.max", "pids.max"}) {
    at.File(folder, file);
  }
  at.File(folder, "memory.events", "oom 2\noom_kill 1\n");
  const ModelCgroup cgroup(2, {{"cpu", folder}, {"memory", folder}, {"pids", folder}});
  const Status limited = cgroup.Limit(Limits(Cores(2), GiB(1)));
  ASSERT_TRUE(limited) << limited.error().message();
  EXPECT_EQ(at.Read(folder + "/cpu.max"), "200000 100000");
  EXPECT_EQ(at.Read(folder + "/memory.max"), "1073741824");
  EXPECT_EQ(at.Read(folder + "/memory.swap.max"), "0");
  EXPECT_EQ(at.Read(folder + "/pids.max"), "4096");
  EXPECT_EQ(cgroup.OomKills(), 1);
  EXPECT_EQ(cgroup.Folders(), std::vector<std::string>{folder});
}

TEST(CgroupTree, HoldsNoMemoryLimitWhereTheMachineSwapsAndSwapCannotBeLimited) {
  Hierarchies at;
  const std::string folder = at.Folder("unified/model");
  for (const char* file : {"cpu.max", "memory.max"}) at.File(folder, file);
  const std::map<std::string, std::string> folders = {{"cpu", folder}, {"memory", folder}};
  const Limits limits(Cores(1), MiB(64));
  at.File(at.Folder("proc"), "swaps", "Filename Type\n");
  EXPECT_TRUE(ModelCgroup(2, folders, at.Folder("proc/swaps")).Limit(limits));
  at.File(at.Folder("proc"), "swaps", "Filename Type\n/swapfile file\n");
  const Status held = ModelCgroup(2, folders, at.Folder("proc/swaps")).Limit(limits);
  ASSERT_FALSE(held);
  EXPECT_NE(held.error().message().find("memory.swap.max"), std::string::npos);
  at.File(folder, "memory.swap.max");
  EXPECT_TRUE(ModelCgroup(2, folders, at.Folder("proc/swaps")).Limit(limits));
}

TEST(CgroupTree, HandsControllersToItsChildrenOnVersion2) {
  Hierarchies at;
  const std::string top = at.Folder("unified");
  const std::string own = top + "/user.scope";
  // At the top the server may not write; its own cgroup was given to it.
  at.File(own, "cgroup.subtree_control");
  at.File(own + "/mlprof-0123456789ab", "cgroup.subtree_control");
  CgroupLocation location;
  location.version = 2;
  location.unified_mount = top;
  location.unified = own;
  CgroupTree tree(location, "0123456789abcdef");
  const auto cgroup = tree.Make("model-1");
  ASSERT_TRUE(cgroup) << cgroup.error().message();
  // Asked for one after the other, each in a write of its own; the file of a folder keeps the last.
  EXPECT_EQ(at.Read(own + "/cgroup.subtree_control"), "+pids");
  EXPECT_EQ((*cgroup)->Folders(), std::vector<std::string>{own + "/mlprof-0123456789ab/model-1"});
}

TEST(CgroupTree, SaysWhichFileKeepsItFromLimits) {
  CgroupLocation location;
  location.version = 2;
  location.unified_mount = "/nowhere";
  location.unified = "/nowhere/scope";
  CgroupTree tree(location, "0123456789abcdef");
  const LimitsHere here = tree.Try();
  EXPECT_FALSE(here.Hold());
  EXPECT_NE(here.why.find("/nowhere/scope"), std::string::npos) << here.why;
}

TEST(CgroupTree, HasNoneWhereNoneIsMounted) {
  CgroupTree tree({}, "0123456789abcdef");
  EXPECT_EQ(tree.Try().why, "no cgroups are mounted on this machine");
  EXPECT_EQ(tree.RemoveOthers({}), 0);
}

TEST(CgroupTree, RemovesWhatAFormerServerLeft) {
  const Hierarchies at;
  CgroupTree tree(Version1(at), "0123456789abcdef");
  fs::create_directories(at.Folder("memory/mlprof-0123456789ab/left"));
  fs::create_directories(at.Folder("cpu/mlprof-0123456789ab/left"));
  fs::create_directories(at.Folder("cpu/mlprof-0123456789ab/mine"));
  fs::create_directories(at.Folder("cpu/mlprof-another/left"));
  EXPECT_EQ(tree.RemoveOthers({"mine"}), 1);
  EXPECT_FALSE(fs::exists(at.Folder("memory/mlprof-0123456789ab/left")));
  EXPECT_TRUE(fs::exists(at.Folder("cpu/mlprof-0123456789ab/mine")));
  EXPECT_TRUE(fs::exists(at.Folder("cpu/mlprof-another/left")));
}

TEST(CgroupTree, MakesItsFoldersAgainWhereAKeeperRemovedThem) {
  const Hierarchies at;
  CgroupTree tree(Version1(at), "0123456789abcdef");
  ASSERT_TRUE(tree.Try().why.size());  // there are no files to write here
  fs::remove_all(at.Folder("memory/mlprof-0123456789ab"));
  EXPECT_TRUE(tree.Make("model-1"));
}

TEST(CgroupTree, PutsNoModelIntoACgroupThatCannotBeRemoved) {
  Hierarchies at;
  CgroupTree tree(Version1(at), "0123456789abcdef");
  at.File(at.Folder("memory/mlprof-0123456789ab/model-1"), "left");
  const auto cgroup = tree.Make("model-1");
  ASSERT_FALSE(cgroup);
  const std::string why = cgroup.error().message();
  EXPECT_NE(why.find(at.Folder("memory/mlprof-0123456789ab/model-1")), std::string::npos) << why;
  EXPECT_FALSE(fs::exists(at.Folder("cpu/mlprof-0123456789ab/model-1")));
}

TEST(CgroupTree, LeavesNoFolderOfItsOwn) {
  const Hierarchies at;
  { EXPECT_TRUE(CgroupTree(Version1(at), "0123456789abcdef").Make("model-1").value()->Remove()); }
  EXPECT_FALSE(fs::exists(at.Folder("memory/mlprof-0123456789ab")));
  EXPECT_TRUE(fs::exists(at.Folder("memory")));
}

TEST(CgroupTree, KnowsWhatTheServerItselfIsLimitedTo) {
  Hierarchies at;
  const CgroupLocation own = Version1(at);
  at.File(own.memory, "memory.limit_in_bytes", "1073741824\n");
  at.File(own.cpu, "cpu.cfs_quota_us", "200000\n");
  at.File(own.cpu, "cpu.cfs_period_us", "100000\n");
  const CgroupTree tree(own, "0123456789abcdef");
  EXPECT_EQ(tree.OwnMemoryLimit(), GiB(1));
  EXPECT_EQ(tree.OwnCpuLimit(), Cores(2));
}

}  // namespace
}  // namespace mlprof::server::process
