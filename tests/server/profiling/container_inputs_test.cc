// What a runtime is given to put into containers, whatever machine they run on.
#include <gtest/gtest.h>

#include "common/hash/sha256.h"
#include "server/runtime/model_start.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

std::string DigestOfTar(const ContentReader& reader) {
  const auto tar = reader.OpenTar();
  if (!tar) return tar.error().message();
  Sha256 digest;
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto got = (*tar)->Read(buffer);
    if (!got) return got.error().message();
    if (*got == 0) return digest.Hex();
    digest.Add({buffer.data(), *got});
  }
}

TEST(ContainerInputs, AreAllTheTarOfTheirDigest) {
  ProfilingBench bench;
  bench.RegisterInputs("a\nb\n");
  EntryScriptConfig script;
  script.entry_script = "weights";
  script.source_id = bench.RegisterSource();
  ProfileRequest request = ProfilingBench::Request("p", kBudget);
  request.inference_config->service = script;
  const auto made = bench.service().Create("default", request, {});
  ASSERT_TRUE(made.has_value()) << made.error().message();
  bench.AwaitEnd("p");
  ASSERT_FALSE(bench.runtime.launches().empty());
  const std::vector<ContentInput> inputs = bench.runtime.launches().front().inputs;
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].sha256, bench.models().Get("default", "m")->sha256);
  EXPECT_EQ(inputs[0].size, bench.models().Get("default", "m")->size);
  EXPECT_EQ("sha256:" + inputs[1].sha256, script.source_id);
  EXPECT_EQ(inputs[1].inside, kSourceMount);
  for (const ContentInput& input : inputs) {
    EXPECT_EQ(DigestOfTar(*input.reader), input.sha256) << input.inside;
    EXPECT_EQ(input.reader->ReadFile("weights", KiB(1)), "") << input.inside;
    EXPECT_TRUE(std::filesystem::exists(*input.reader->LocalDirectory() / "weights"));
  }
}

}  // namespace
}  // namespace mlprof::server
