#include "server/runtime/process/placed_start.h"

#include <gtest/gtest.h>

namespace mlprof::server::process {
namespace {

agent_protocol::Start EntryScript() {
  agent_protocol::Start start;
  start.command = {"/opt/mlprof/venv/bin/serve-entry-script", "--entry_script",
                   "/var/azureml-app/source/score.py", "--port", "5001"};
  start.environment = {{"PATH", "/opt/mlprof/venv/bin:/usr/bin"},
                       {"TMPDIR", "/tmp"},
                       {"CACHE", "/tmp/cache"},
                       {"NOTES", "5001"}};
  start.working_directory = "/var/azureml-app/source";
  start.port = 5001;
  return start;
}

StartPlacement InFolders() {
  StartPlacement placement;
  placement.places = {{"/opt/mlprof/venv", "/data/env"}, {"/var/azureml-app/source", "/data/src"}};
  placement.temporary = "/data/tmp";
  return placement;
}

TEST(PlacedStart, IsAsItWasWhereTheModelHasARootOfItsOwn) {
  const auto placed = PlacedStart(EntryScript(), {});
  EXPECT_EQ(placed.command, EntryScript().command);
  auto environment = EntryScript().environment;
  environment["CUDA_VISIBLE_DEVICES"] = "";  // all that is said of this machine
  EXPECT_EQ(placed.environment, environment);
  EXPECT_EQ(placed.working_directory, EntryScript().working_directory);
}

TEST(PlacedStart, NamesFoldersOfThisMachineInPlaceOfAContainers) {
  const auto placed = PlacedStart(EntryScript(), InFolders());
  EXPECT_EQ(placed.command[0], "/data/env/bin/serve-entry-script");
  EXPECT_EQ(placed.command[2], "/data/src/score.py");
  EXPECT_EQ(placed.environment.at("PATH"), "/data/env/bin:/usr/bin");
  EXPECT_EQ(placed.working_directory, "/data/src");
}

TEST(PlacedStart, LeavesPathsThatOnlyLookAlike) {
  agent_protocol::Start start;
  start.command = {"/opt/mlprof/venvs/x", "/srv/opt/mlprof/venv/y", "--dir=/opt/mlprof/venv",
                   "/opt/mlprof/venv-2"};
  const auto placed = PlacedStart(start, InFolders());
  EXPECT_EQ(placed.command,
            (std::vector<std::string>{"/opt/mlprof/venvs/x", "/srv/opt/mlprof/venv/y",
                                      "--dir=/data/env", "/opt/mlprof/venv-2"}));
}

TEST(PlacedStart, GivesATemporaryFolderOfItsOwnWithoutTouchingOtherWordsOfTmp) {
  const auto placed = PlacedStart(EntryScript(), InFolders());
  EXPECT_EQ(placed.environment.at("TMPDIR"), "/data/tmp");
  EXPECT_EQ(placed.environment.at("CACHE"), "/tmp/cache");
}

TEST(PlacedStart, MovesThePortInTheCommandAndForTheAgent) {
  StartPlacement placement;
  placement.port = 40123;
  const auto placed = PlacedStart(EntryScript(), placement);
  EXPECT_EQ(placed.port, 40123);
  EXPECT_EQ(placed.command.back(), "40123");
  EXPECT_EQ(placed.environment.at("NOTES"), "5001");
}

TEST(PlacedStart, KeepsAModelToTheGpusThatItWasGiven) {
  auto start = EntryScript();
  start.environment["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_EQ(PlacedStart(start, {}).environment.at("CUDA_VISIBLE_DEVICES"), "");
  StartPlacement placement;
  placement.gpus = "GPU-1,GPU-2";
  EXPECT_EQ(PlacedStart(start, placement).environment.at("CUDA_VISIBLE_DEVICES"), "GPU-1,GPU-2");
}

TEST(PlacedStart, ForgetsTheEnvironmentsFilesOnlyBeforeAColdStart) {
  StartPlacement placement;
  placement.more_to_forget = {"/opt/mlprof/venv"};
  agent_protocol::Start warm;
  EXPECT_TRUE(PlacedStart(warm, placement).drop_cache.empty());
  agent_protocol::Start cold;
  cold.drop_cache = {"/", "/models"};
  EXPECT_EQ(PlacedStart(cold, placement).drop_cache,
            (std::vector<std::string>{"/", "/models", "/opt/mlprof/venv"}));
}

}  // namespace
}  // namespace mlprof::server::process
