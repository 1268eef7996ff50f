#include "server/runtime/docker/lost_container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace mlprof::docker {
namespace {

namespace fs = std::filesystem;

const std::string kId(64, 'a');
const std::string kOther(64, 'b');

TEST(LostContainer, KnowsItsProcessesInEveryLayoutOfCgroups) {
  for (const std::string& path : {
           "/docker/" + kId, "/system.slice/docker-" + kId + ".scope",
           "/chosen/as/cgroup-parent/" + kId,
           "/limits.slice/limits-mine.slice/docker-" + kId + ".scope",
           "/../../docker/" + kId,         // seen from a cgroup namespace
           "/docker/" + kId + "/workers",  // a cgroup of its own below
       }) {
    EXPECT_TRUE(IsInContainer("12:memory:" + path + "\n", kId)) << path;
    EXPECT_TRUE(IsInContainer("0::" + path + "\n", kId)) << path;
    EXPECT_TRUE(IsInContainer("1:name=systemd:/\n4:pids:" + path + "\n0::/\n", kId)) << path;
  }
}

TEST(LostContainer, TakesNobodyElsesProcessesForItsOwn) {
  for (const std::string& path :
       {std::string("/"), "/docker/" + kOther, "/docker/" + kId + "b", "/docker/x" + kId,
        "/system.slice/crio-" + kId + ".scope", "/docker/" + kId.substr(1)}) {
    EXPECT_FALSE(IsInContainer("0::" + path + "\n", kId)) << path;
  }
}

TEST(LostContainer, HasNoProcessesWithoutAWholeId) {
  for (const std::string& id : {std::string(), std::string("docker"), kId.substr(0, 12),
                                "../" + kId.substr(3), kId + "a"}) {
    EXPECT_FALSE(IsInContainer("0::/docker/" + id + "\n", id)) << id;
    EXPECT_TRUE(ProcessesOf(id).empty()) << id;
  }
}

TEST(LostContainer, LooksAtEveryProcessButTheFirst) {
  char name[] = "/tmp/lost-container-test.XXXXXX";
  const fs::path proc = ::mkdtemp(name);
  const auto add = [&](const std::string& entry, const std::string& id) {
    fs::create_directories(proc / entry);
    std::ofstream(proc / entry / "cgroup") << "0::/docker/" << id << "\n";
  };
  add("1", kId);
  add("20", kId);
  add("21", kOther);
  add("3000", kId);
  add("self", kId);
  add("40x", kId);
  EXPECT_THAT(ProcessesOf(kId, proc), ::testing::UnorderedElementsAre(20, 3000));
  EXPECT_TRUE(ProcessesOf(kId, proc / "nowhere").empty());
  fs::remove_all(proc);
}

}  // namespace
}  // namespace mlprof::docker
