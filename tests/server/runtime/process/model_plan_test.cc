#include "server/runtime/process/model_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/runtime/model_start.h"
#include "server/runtime/process/process_runtime.h"

namespace mlprof::server::process {
namespace {

using Kind = SandboxStep::Kind;
using Words = std::vector<std::string>;

std::vector<HostEntry> MachineOfAPlan(const std::string& folder) {
  using Entry = HostEntry::Kind;
  if (folder == "/") return {{"usr", Entry::kFolder, ""}, {"var", Entry::kFolder, ""}};
  if (folder == "/var") return {{"cache", Entry::kFolder, ""}};
  return {};
}

LaunchRequest CommandRequest() {
  LaunchRequest request;
  request.container_name = "mlprof-p-1";
  ImageConfig service;
  service.command = Words{"/usr/bin/serve"};
  request.config.service = service;
  return request;
}

ModelPlaces PlacesOfRequest() {
  ModelPlaces places;
  places.agent = "/bin/mlprof-agent";
  places.folder = "/data/run/a";
  places.inputs = {{"/data/content/m", "/var/azureml-app/azureml-models/m/1"}};
  return places;
}

const SandboxStep* StepAt(const SandboxPlan& plan, const std::string& inside) {
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [&](const SandboxStep& s) { return s.inside == inside; });
  return step == plan.steps.end() ? nullptr : &*step;
}

TEST(ModelPlan, HidesTheServersOwnData) {
  ModelPlaces places = PlacesOfRequest();
  places.data = "/data";
  const auto plan = ModelPlan(CommandRequest(), places, Apart::kAsUser, 2, MachineOfAPlan);
  const SandboxStep hidden{SandboxStep::Kind::kSealed, "", "/data"};
  EXPECT_EQ(plan.steps.back(), hidden);
}

TEST(ModelPlan, GivesAModelItsOwnNetworkTmpAndReadOnlyFiles) {
  const auto plan =
      ModelPlan(CommandRequest(), PlacesOfRequest(), Apart::kAsRoot, 4, MachineOfAPlan);
  EXPECT_FALSE(plan.network);
  EXPECT_FALSE(plan.user_namespace);
  EXPECT_EQ(plan.root, "/data/run/a/root");
  ASSERT_NE(StepAt(plan, "/tmp"), nullptr);
  EXPECT_EQ(*StepAt(plan, "/tmp"), (SandboxStep{Kind::kWritable, "/data/run/a/tmp", "/tmp"}));
  ASSERT_NE(StepAt(plan, "/var/azureml-app/azureml-models/m/1"), nullptr);
  EXPECT_EQ(StepAt(plan, "/var/azureml-app/azureml-models/m/1")->kind, Kind::kReadOnly);
  EXPECT_EQ(StepAt(plan, "/usr")->kind, Kind::kReadOnly);
}

TEST(ModelPlan, MeasuresByProcessesWhereThereIsNoCgroup) {
  const auto without =
      ModelPlan(CommandRequest(), PlacesOfRequest(), Apart::kAsUser, 2, MachineOfAPlan);
  EXPECT_EQ(without.command.back(), "--process-tree");
  EXPECT_TRUE(without.user_namespace);
  const ModelCgroup cgroup(1, {{"cpu", "/c/a"}, {"memory", "/m/a"}});
  ModelPlaces places = PlacesOfRequest();
  places.cgroup = &cgroup;
  const auto with = ModelPlan(CommandRequest(), places, Apart::kAsRoot, 2, MachineOfAPlan);
  EXPECT_EQ(with.command, (Words{kAgentProgram, "--socket-fd", "3"}));
  EXPECT_EQ(with.cgroups, (Words{"/c/a", "/m/a"}));
}

TEST(ModelPlan, LeavesTheMachineAsItIsWhereNamespacesAreNotPermitted) {
  const auto plan = ModelPlan(CommandRequest(), PlacesOfRequest(), Apart::kNot, 2, MachineOfAPlan);
  EXPECT_TRUE(plan.root.empty());
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(plan.command.front(), "/bin/mlprof-agent");
}

TEST(ModelPlan, SharesTheNetworkThatTheConfigAsksFor) {
  LaunchRequest request = CommandRequest();
  request.config.network = NetworkMode::kBridge;
  EXPECT_TRUE(ModelPlan(request, PlacesOfRequest(), Apart::kAsRoot, 2, MachineOfAPlan).network);
}

TEST(ModelPlan, RunsOnTheCoresThatWereAskedForOrOnAll) {
  LaunchRequest request = CommandRequest();
  request.cpuset = "0-1,3";
  const auto cores = [&] {
    return ModelPlan(request, PlacesOfRequest(), Apart::kAsRoot, 4, MachineOfAPlan).cores;
  };
  EXPECT_EQ(cores(), (std::vector<int>{0, 1, 3}));
  request.cpuset = "";
  EXPECT_EQ(cores(), (std::vector<int>{0, 1, 2, 3}));
}

TEST(ModelPlan, LaysWhatAModelWritesOverTheMachinesFolder) {
  LaunchRequest request = CommandRequest();
  request.config.writable_paths = {"/var/cache", "/var/cache/below", "/srv/new", "/tmp/x"};
  const auto plan = ModelPlan(request, PlacesOfRequest(), Apart::kAsRoot, 2, MachineOfAPlan);
  ASSERT_NE(StepAt(plan, "/var/cache"), nullptr);
  EXPECT_EQ(StepAt(plan, "/var/cache")->kind, Kind::kLayer);
  EXPECT_EQ(StepAt(plan, "/var/cache/below"), nullptr);
  EXPECT_EQ(StepAt(plan, "/tmp/x"), nullptr);
  ASSERT_NE(StepAt(plan, "/srv/new"), nullptr);
  EXPECT_EQ(StepAt(plan, "/srv/new")->kind, Kind::kWritable);
}

TEST(Placement, FindsInputsByLinksWhereTheModelHasNoRootOfItsOwn) {
  EXPECT_TRUE(PlacementOf(PlacesOfRequest(), Apart::kAsRoot).places.empty());
  agent_protocol::Start start;
  start.environment = {{"AZUREML_MODEL_DIR", "/var/azureml-app/azureml-models/m/1"},
                       {"ALL", "/var/azureml-app/azureml-models"},
                       {"HOME", "/home/mlprof"}};
  const auto placed = PlacedStart(start, PlacementOf(PlacesOfRequest(), Apart::kNot));
  EXPECT_EQ(placed.environment.at("AZUREML_MODEL_DIR"),
            "/data/run/a/inside/var/azureml-app/azureml-models/m/1");
  EXPECT_EQ(placed.environment.at("ALL"), "/data/run/a/inside/var/azureml-app/azureml-models");
  EXPECT_EQ(placed.environment.at("HOME"), "/data/run/a/home");
}

TEST(Servable, IsNoProgramThatAModelsOwnTmpHides) {
  InferenceConfig config;
  ImageConfig service;
  service.command = Words{"/tmp/serve"};
  config.service = service;
  EXPECT_TRUE(CheckServable(config, Apart::kNot));
  const Status hidden = CheckServable(config, Apart::kAsRoot);
  ASSERT_FALSE(hidden);
  EXPECT_NE(hidden.error().message().find("put the program elsewhere"), std::string::npos);
}

TEST(Servable, IsACommandWithoutAnImageAndWithoutRoot) {
  InferenceConfig config;
  ImageConfig service;
  service.command = Words{"/usr/bin/serve"};
  config.service = service;
  EXPECT_TRUE(CheckServable(config, Apart::kAsUser));
  config.run_as_root = true;
  EXPECT_FALSE(CheckServable(config, Apart::kAsUser));
  config.run_as_root = false;
  service.image = "image:1";
  config.service = service;
  EXPECT_FALSE(CheckServable(config, Apart::kAsUser));
  config.service = ImageConfig();
  EXPECT_FALSE(CheckServable(config, Apart::kAsUser));
}

}  // namespace
}  // namespace mlprof::server::process
