#include "server/runtime/docker/create_container.h"

#include <gtest/gtest.h>

namespace mlprof::server::docker {
namespace {

Error NotThere(const std::string& path) {
  return InvalidArgument(
      "Docker could not create container x: invalid mount config for type \"bind\": bind source "
      "path does not exist: " +
      path + " (status 400)");
}

TEST(IsUnseenTest, WhatIsMissingForEverybodyTellsNothingOfMounts) {
  const std::filesystem::path mounted = "/data/scratch/x/volume";
  EXPECT_TRUE(IsUnseen(NotThere("/data/scratch/x/volume/0"), mounted));
  EXPECT_FALSE(IsUnseen(NotThere("/data/trees/model"), mounted));
  EXPECT_FALSE(IsUnseen(Unavailable("no answer about /data/scratch/x/volume/0"), mounted));
}

}  // namespace
}  // namespace mlprof::server::docker
