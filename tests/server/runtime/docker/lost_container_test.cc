#include "server/runtime/docker/remove_container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace mlprof::server::docker {
namespace {

namespace fs = std::filesystem;

const std::string kLost(64, 'a');
const std::string kOther(64, 'b');

TEST(LostContainer, KnowsItsProcessesInEveryLayoutOfCgroups) {
  for (const std::string& path : {
           "/docker/" + kLost, "/system.slice/docker-" + kLost + ".scope",
           "/chosen/as/cgroup-parent/" + kLost,
           "/limits.slice/limits-mine.slice/docker-" + kLost + ".scope",
           "/../../docker/" + kLost,         // seen from a cgroup namespace
           "/docker/" + kLost + "/workers",  // a cgroup of its own below
       }) {
    EXPECT_TRUE(IsInContainer("12:memory:" + path + "\n", kLost)) << path;
    EXPECT_TRUE(IsInContainer("0::" + path + "\n", kLost)) << path;
    EXPECT_TRUE(IsInContainer("1:name=systemd:/\n4:pids:" + path + "\n0::/\n", kLost)) << path;
  }
}

TEST(LostContainer, TakesNobodyElsesProcessesForItsOwn) {
  for (const std::string& path :
       {std::string("/"), "/docker/" + kOther, "/docker/" + kLost + "b", "/docker/x" + kLost,
        "/system.slice/crio-" + kLost + ".scope", "/docker/" + kLost.substr(1)}) {
    EXPECT_FALSE(IsInContainer("0::" + path + "\n", kLost)) << path;
  }
}

TEST(LostContainer, HasNoProcessesWithoutAWholeId) {
  for (const std::string& id : {std::string(), std::string("docker"), kLost.substr(0, 12),
                                "../" + kLost.substr(3), kLost + "a"}) {
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
  add("1", kLost);
  add("20", kLost);
  add("21", kOther);
  add("3000", kLost);
  add("self", kLost);
  add("40x", kLost);
  EXPECT_THAT(ProcessesOf(kLost, proc), ::testing::UnorderedElementsAre(20, 3000));
  EXPECT_TRUE(ProcessesOf(kLost, proc / "nowhere").empty());
  fs::remove_all(proc);
}

}  // namespace
}  // namespace mlprof::server::docker
