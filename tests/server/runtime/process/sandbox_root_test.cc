#include "server/runtime/process/sandbox/sandbox_root.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mlprof::server::process {
namespace {

using Kind = SandboxStep::Kind;

// A machine with few folders.
std::vector<HostEntry> SmallMachine(const std::string& folder) {
  using Entry = HostEntry::Kind;
  if (folder == "/") {
    return {{"bin", Entry::kLink, "usr/bin"}, {"dev", Entry::kFolder, ""},
            {"proc", Entry::kFolder, ""},     {"run", Entry::kFolder, ""},
            {"tmp", Entry::kFolder, ""},      {"usr", Entry::kFolder, ""},
            {"var", Entry::kFolder, ""}};
  }
  if (folder == "/var") {
    return {{"lib", Entry::kFolder, ""}, {"run", Entry::kLink, "/run"}};
  }
  if (folder == "/dev")
    return {{"null", Entry::kFile, ""}, {"nvidia0", Entry::kFile, ""}, {"sda", Entry::kFile, ""}};
  if (folder == "/sys") return {{"devices", Entry::kFolder, ""}, {"fs", Entry::kFolder, ""}};
  return {};
}

std::vector<std::string> PlacesOf(const std::vector<SandboxStep>& steps) {
  std::vector<std::string> places;
  for (const SandboxStep& step : steps) places.push_back(step.inside);
  return places;
}

TEST(SandboxRoot, HidesAFolderThatItWouldShow) {
  std::vector<SandboxStep> steps;
  Hide("/tmp/data", steps);
  EXPECT_TRUE(steps.empty());
  Hide("/home/a/data", steps);
  EXPECT_EQ(PlacesOf(steps), (std::vector<std::string>{"/home/a/data", "/home/a/data"}));
  EXPECT_EQ(steps.front().kind, Kind::kMemory);
  EXPECT_EQ(steps.back().kind, Kind::kSealed);
}

TEST(SandboxRoot, ShowsTheMachineReadOnly) {
  const auto steps = RootSteps({}, SmallMachine);
  EXPECT_EQ(steps, (std::vector<SandboxStep>{{Kind::kLink, "usr/bin", "/bin"},
                                             {Kind::kReadOnly, "/usr", "/usr"},
                                             {Kind::kReadOnly, "/var", "/var"}}));
}

TEST(SandboxRoot, PutsOwnPlacesAmongTheMachinesFolders) {
  const auto steps = RootSteps(
      {{Kind::kReadOnly, "/data/model", "/var/azureml-app/azureml-models/m/1"}}, SmallMachine);
  EXPECT_EQ(steps, (std::vector<SandboxStep>{
                       {Kind::kLink, "usr/bin", "/bin"},
                       {Kind::kReadOnly, "/usr", "/usr"},
                       {Kind::kFolder, "", "/var"},
                       {Kind::kReadOnly, "/var/lib", "/var/lib"},
                       {Kind::kLink, "/run", "/var/run"},
                       {Kind::kFolder, "", "/var/azureml-app"},
                       {Kind::kFolder, "", "/var/azureml-app/azureml-models"},
                       {Kind::kFolder, "", "/var/azureml-app/azureml-models/m"},
                       {Kind::kReadOnly, "/data/model", "/var/azureml-app/azureml-models/m/1"}}));
}

TEST(SandboxRoot, NeverShowsTheMachinesSocketsDevicesOrProcesses) {
  const auto places = PlacesOf(RootSteps(SystemPlaces(MiB(64), 0, {}, SmallMachine), SmallMachine));
  const auto holds = [&](const std::string& place) {
    return std::find(places.begin(), places.end(), place) != places.end();
  };
  EXPECT_TRUE(holds("/dev/null"));
  EXPECT_TRUE(holds("/dev/shm"));
  EXPECT_TRUE(holds("/dev/nvidia0"));
  EXPECT_FALSE(holds("/dev/sda"));
  EXPECT_FALSE(holds("/tmp"));
  EXPECT_FALSE(holds("/sys/fs"));
}

TEST(SandboxRoot, MakesAFolderBeforeWhatLiesInIt) {
  const auto places =
      PlacesOf(RootSteps(SystemPlaces(MiB(64), 2, {{"cpu", "/cg"}}, SmallMachine), SmallMachine));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string parent = std::filesystem::path(places[i]).parent_path();
    if (parent == "/") continue;
    const auto made = std::find(places.begin(), places.begin() + static_cast<long>(i), parent);
    EXPECT_NE(made, places.begin() + static_cast<long>(i)) << places[i] << " comes too early";
  }
}

TEST(SandboxRoot, SealsWhatLiesInMemoryOnceItIsFilled) {
  const auto steps = RootSteps(SystemPlaces(MiB(64), 0, {}, SmallMachine), SmallMachine);
  const auto sealed = std::find(steps.begin(), steps.end(), SandboxStep{Kind::kSealed, "", "/dev"});
  ASSERT_NE(sealed, steps.end());
  for (auto step = sealed; step != steps.end(); ++step) {
    EXPECT_FALSE(step->inside.starts_with("/dev/")) << step->inside;
  }
}

TEST(SandboxRoot, ShowsTheModelsOwnCgroupAsAContainerDoes) {
  const auto version1 =
      SystemPlaces(MiB(1), 1, {{"cpu", "/c/a"}, {"memory", "/m/a"}}, SmallMachine);
  const auto at = [&](const std::string& inside) {
    return std::find_if(version1.begin(), version1.end(),
                        [&](const OwnPlace& place) { return place.inside == inside; });
  };
  ASSERT_NE(at("/sys/fs/cgroup/memory"), version1.end());
  EXPECT_EQ(at("/sys/fs/cgroup/memory")->here, "/m/a");
  const auto version2 =
      SystemPlaces(MiB(1), 2, {{"cpu", "/u/a"}, {"memory", "/u/a"}}, SmallMachine);
  EXPECT_EQ(version2.back().inside, "/sys/fs/cgroup");
  EXPECT_EQ(version2.back().here, "/u/a");
}

}  // namespace
}  // namespace mlprof::server::process
