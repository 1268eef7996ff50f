// The logs of its containers, which a profile keeps whole.
#include <gtest/gtest.h>

#include "tests/server/profiling/broken_storage.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

std::string BytesOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(KeptLogsTest, OfAllContainersAreAnArtifactOfTheProfile) {
  FakeModel model;
  model.log = "the first line\n" + std::string(100'000, 'x') + "\n";
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  ASSERT_EQ(bench.AwaitEnd("p").state, ProfileState::kSucceeded);
  const auto artifacts = bench.service().Artifacts("default", "p", {});
  ASSERT_TRUE(artifacts.has_value());
  ASSERT_EQ(artifacts->value.size(), 1U);
  const Artifact& log = artifacts->value[0];
  EXPECT_EQ(log.kind, "log");
  EXPECT_EQ(log.name, "containers.log");
  EXPECT_EQ(log.media_type, "text/plain; charset=utf-8");
  const auto file = bench.service().ArtifactFile(log);
  ASSERT_TRUE(file.has_value());
  const std::string text = BytesOf(*file);
  EXPECT_TRUE(text.starts_with("--- container 1\nthe first line\n"));
  EXPECT_NE(text.find("--- container 2\nthe first line\n"), std::string::npos);

  ASSERT_TRUE(bench.service().Delete("default", "p").has_value());
  EXPECT_FALSE(bench.content().HasFile(log.sha256));
}

TEST(KeptLogsTest, AreThoseOfARunThatFailsToo) {
  FakeModel model;
  model.status = [](const std::string&) { return 404; };
  ProfilingBench bench(model);
  bench.RegisterInputs(TextRows(20));
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  ASSERT_EQ(bench.AwaitEnd("p").state, ProfileState::kFailed);
  EXPECT_EQ(bench.service().Artifacts("default", "p", {})->value.size(), 1U);
}

TEST(KeptLogsTest, ThatCannotBeKeptCostNoAnswer) {
  ProfilingBench bench;
  bench.RegisterInputs(TextRows(20));
  BrokenStorage storage(bench.database_file());
  storage.Break("INSERT ON profile_artifacts");
  ASSERT_TRUE(bench.service().Create("default", bench.Request("p", kBudget), {}).has_value());
  EXPECT_EQ(bench.AwaitEnd("p").state, ProfileState::kSucceeded);
  EXPECT_TRUE(bench.service().Artifacts("default", "p", {})->value.empty());
}

}  // namespace
}  // namespace mlprof::server
