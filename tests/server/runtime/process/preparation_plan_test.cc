#include "server/runtime/process/environment/preparation_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/text/base64.h"

namespace mlprof::server::process {
namespace {

using Kind = SandboxStep::Kind;

std::vector<HostEntry> EmptyMachine(const std::string&) { return {}; }

PreparationPlaces PlacesOfAnInstallation() {
  return {"/data/e/venv", "/data/e/tmp", "/data/e/variables", "/data/e/root", ""};
}

SandboxPlan Plan(Apart apart) {
  return PreparationPlan({"numpy==1.26.4"}, {}, PlacesOfAnInstallation(), apart, EmptyMachine);
}

TEST(PreparationPlan, HandsPackagesToTheScriptAsItsArguments) {
  const auto plan = Plan(Apart::kAsRoot);
  ASSERT_EQ(plan.command.size(), 5u);
  EXPECT_EQ(plan.command[0], "/bin/sh");
  EXPECT_EQ(plan.command[3], "prepare");
  EXPECT_EQ(plan.command[4], "numpy==1.26.4");
}

TEST(PreparationPlan, RunsPackagesCodeAsAUserWithoutRights) {
  EXPECT_EQ(Plan(Apart::kAsRoot).run_as, kNobodyId);
  EXPECT_EQ(Plan(Apart::kAsUser).run_as, std::nullopt);
}

TEST(PreparationPlan, MakesTheEnvironmentWhereModelsFindIt) {
  const auto plan = Plan(Apart::kAsRoot);
  const SandboxStep wanted{Kind::kWritable, "/data/e/venv", "/opt/mlprof/venv"};
  EXPECT_NE(std::find(plan.steps.begin(), plan.steps.end(), wanted), plan.steps.end());
  EXPECT_NE(plan.command[2].find("/opt/mlprof/venv"), std::string::npos);
}

TEST(PreparationPlan, MakesItInItsOwnFolderWhereThereAreNoNamespaces) {
  const auto plan = Plan(Apart::kNot);
  EXPECT_TRUE(plan.root.empty());
  EXPECT_EQ(plan.command[2].find("/opt/mlprof/venv"), std::string::npos);
  EXPECT_EQ(plan.command[2].find("/run/mlprof"), std::string::npos);
  EXPECT_NE(plan.command[2].find("/data/e/venv/bin/python -m pip"), std::string::npos);
  EXPECT_NE(plan.command[2].find("HOME=/data/e/tmp"), std::string::npos);
}

TEST(PreparationPlan, NamesProxiesThemselvesInPlaceOfRelays) {
  environment::PipSettings settings;
  settings.environment = {{"HTTP_PROXY", "http://127.0.0.1:3128"},
                          {"PIP_PROXY", "http://127.0.0.1:3129"},
                          {"NO_PROXY", "localhost"}};
  settings.proxies = {{{"proxy.example", 3128}, ""},
                      {{"other.example", 8080}, "Basic " + EncodeBase64("user:p@ss")}};
  const auto direct = OnThisNetwork(settings);
  EXPECT_EQ(direct.environment.at("HTTP_PROXY"), "http://proxy.example:3128");
  EXPECT_EQ(direct.environment.at("PIP_PROXY"), "http://user:p%40ss@other.example:8080");
  EXPECT_EQ(direct.environment.at("NO_PROXY"), "localhost");
  EXPECT_TRUE(direct.proxies.empty());
}

TEST(PreparationPlan, NamesLentFilesAtTheirOwnPlaceWithoutNamespaces) {
  environment::PipSettings settings;
  settings.environment = {{"PIP_CERT", "/run/mlprof/files/0"}};
  settings.files = {{"/etc/ssl/ca.pem", "/run/mlprof/files/0"}};
  EXPECT_EQ(VariablesFor(settings, Apart::kNot).at("PIP_CERT"), "/etc/ssl/ca.pem");
  EXPECT_EQ(VariablesFor(settings, Apart::kAsRoot).at("PIP_CERT"), "/run/mlprof/files/0");
}

}  // namespace
}  // namespace mlprof::server::process
