// Comparisons over the real storage, service and queue.
#include "server/profiling/comparison/comparison_service.h"

#include <gtest/gtest.h>

#include "server/profiling/comparison/variant_requests.h"
#include "tests/server/profiling/profiling_bench.h"

namespace mlprof::server {
namespace {

using std::chrono::seconds;

Variant VariantWith(const std::string& name, std::map<std::string, std::string> environment = {}) {
  Variant variant;
  variant.name = name;
  variant.environment_variables = std::move(environment);
  return variant;
}

VariantComparisonRequest ComparisonOf(std::vector<Variant> variants, seconds budget = kBudget) {
  VariantComparisonRequest request;
  request.base = ProfilingBench::Request("sides", budget);
  request.base.budget_given = true;
  request.variants = std::move(variants);
  return request;
}

class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() { bench_.RegisterInputs(TextRows(20)); }
  VariantComparison Create(const VariantComparisonRequest& request) {
    auto created = bench_.comparisons().Create("default", request, {});
    EXPECT_TRUE(created) << (created ? "" : created.error().message());
    return created.value_or(VariantComparison());
  }
  Profile Stored(const VariantComparison& comparison, std::size_t index) {
    return *bench_.profiles().Get("default", comparison.results.at(index).profile_id);
  }
  // As if it had been run: proven at these figures.
  void Prove(Profile profile, Cores cpu, double p95_ms, double requests_per_second) {
    const ProfileState before = profile.state;
    profile.state = ProfileState::kSucceeded;
    profile.started = Now() - seconds(30);
    profile.finished = *profile.started + seconds(30);
    profile.recommendation.emplace();
    profile.recommendation->requested = {cpu, MiB(512)};
    profile.recommendation->verified = true;
    profile.measurements.emplace();
    profile.measurements->latency_p95_ms = p95_ms;
    profile.measurements->queries_per_second = requests_per_second;
    ASSERT_TRUE(bench_.profiles().Update(profile, before));
  }

  ProfilingBench bench_;
};

TEST_F(ComparisonTest, EachVariantIsProfiledAndTheyAreRanked) {
  const auto created = Create(ComparisonOf(
      {VariantWith("one", {{"T", "1"}}), VariantWith("two", {{"T", "2"}})}, seconds(600)));
  for (const VariantResult& result : created.results) bench_.AwaitEnd(result.profile);
  const auto ended = bench_.comparisons().Get("default", "sides");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->state, ComparisonState::kSucceeded);
  ASSERT_TRUE(ended->choice);
  for (const VariantResult& result : ended->results) {
    EXPECT_EQ(result.outcome, VariantOutcome::kProven) << result.why;
    EXPECT_TRUE(result.rank);
  }
  const Profile one = Stored(created, 0);
  EXPECT_EQ(one.request.inference_config->environment_variables.at("T"), "1");
  EXPECT_EQ(one.request.seed, Stored(created, 1).request.seed);
}

TEST_F(ComparisonTest, WhatTheFirstDoesNotUseTheNextGets) {
  bench_.queue().Stop();
  const auto created = Create(ComparisonOf(
      {VariantWith("one"), VariantWith("two", {{"T", "2"}}), VariantWith("three", {{"T", "3"}})},
      seconds(300)));
  EXPECT_EQ(Stored(created, 1).request.budget, seconds(100));
  Prove(Stored(created, 0), Cores(1.0), 50, 20);  // in 30 of its 100 seconds
  Profile next = Stored(created, 1);
  bench_.oversight().Beginning(next);
  EXPECT_EQ(next.request.budget, seconds(135));
}

TEST_F(ComparisonTest, OneThatWasDeletedLeavesItsPartToNobody) {
  bench_.queue().Stop();
  const auto created =
      Create(ComparisonOf({VariantWith("one"), VariantWith("two", {{"T", "2"}})}, seconds(300)));
  Prove(Stored(created, 0), Cores(1.0), 50, 20);
  ASSERT_TRUE(bench_.service().Delete("default", Stored(created, 0).id));
  Profile next = Stored(created, 1);
  bench_.oversight().Beginning(next);
  EXPECT_EQ(next.request.budget, seconds(150)) << "what it took is not known any more";
}

TEST_F(ComparisonTest, WithoutABudgetOfItsOwnEachHasTheServers) {
  bench_.queue().Stop();
  auto request = ComparisonOf({VariantWith("one"), VariantWith("two", {{"T", "2"}})});
  request.base.budget_given = false;
  Profile profile = Stored(Create(request), 0);
  bench_.oversight().Beginning(profile);
  EXPECT_EQ(profile.request.budget, kBudget);
  EXPECT_FALSE(profile.request.budget_given);
}

TEST_F(ComparisonTest, OneThatAProvenVariantBeatsIsToEnd) {
  bench_.queue().Stop();
  const auto created =
      Create(ComparisonOf({VariantWith("fast"), VariantWith("slow", {{"T", "2"}})}));
  Profile slow = Stored(created, 1);
  slow.recommendation.emplace();
  slow.recommendation->requested = {Cores(2.0), MiB(512)};
  slow.measurements.emplace();
  slow.measurements->latency_p95_ms = 60;
  slow.measurements->queries_per_second = 15;
  EXPECT_FALSE(bench_.oversight().WhyEnd(slow, "searchCpu")) << "nothing is proven yet";
  Prove(Stored(created, 0), Cores(1.0), 50, 20);
  const auto why = bench_.oversight().WhyEnd(slow, "searchCpu");
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("fast is proven"), std::string::npos) << *why;
  Profile other = slow;
  other.id = "of no comparison";
  EXPECT_FALSE(bench_.oversight().WhyEnd(other, "searchCpu"));
}

// Has every run end after the search for CPU.
class EndsAfterSearch final : public RunOversight {
 public:
  void Beginning(Profile& profile) override { profile.request.budget = seconds(299); }
  std::optional<std::string> WhyEnd(const Profile&, std::string_view phase) override {
    if (phase != "searchCpu") return std::nullopt;
    return "another is better";
  }
};

TEST_F(ComparisonTest, ARunThatIsEndedEarlyKeepsWhatItKnowsAndSaysWhy) {
  EndsAfterSearch oversight;
  bench_.overseer = &oversight;
  bench_.Restart();
  ASSERT_TRUE(bench_.service().Create("default", bench_.Request("p", kBudget), {}));
  const Profile ended = bench_.AwaitEnd("p");
  EXPECT_EQ(ended.state, ProfileState::kCanceled);
  ASSERT_TRUE(ended.recommendation);
  EXPECT_FALSE(ended.recommendation->verified);
  EXPECT_TRUE(ended.measurements);
  EXPECT_EQ(ended.request.budget, seconds(299));
  ASSERT_TRUE(HasWarning(ended, kEndedEarlyWarning));
  EXPECT_EQ(ended.warnings.back().message, "another is better");
  bench_.Close();  // before the oversight goes
}

TEST_F(ComparisonTest, GoesOnAfterARestartOfTheServer) {
  std::promise<void> preparing;
  bench_.runtime.on_prepare = [&](const std::stop_token& stop) {
    preparing.set_value();
    bench_.AwaitUntil([&] { return stop.stop_requested(); });
  };
  const auto created =
      Create(ComparisonOf({VariantWith("one"), VariantWith("two", {{"T", "2"}})}, seconds(600)));
  preparing.get_future().wait();
  bench_.queue().Stop();
  bench_.runtime.on_prepare = nullptr;
  bench_.Restart();
  for (const VariantResult& result : created.results) bench_.AwaitEnd(result.profile);
  EXPECT_EQ(bench_.comparisons().Get("default", created.id)->state, ComparisonState::kSucceeded);
}

TEST_F(ComparisonTest, ACancelEndsAllOfThem) {
  std::promise<void> preparing;
  bench_.runtime.on_prepare = [&](const std::stop_token& stop) {
    preparing.set_value();
    bench_.AwaitUntil([&] { return stop.stop_requested(); });
  };
  const auto created = Create(ComparisonOf({VariantWith("one"), VariantWith("two", {{"T", "2"}})}));
  preparing.get_future().wait();
  ASSERT_TRUE(bench_.comparisons().Cancel("default", "sides"));
  EXPECT_EQ(bench_.AwaitEnd("sides.one").state, ProfileState::kCanceled);
  EXPECT_EQ(bench_.AwaitEnd("sides.two").state, ProfileState::kCanceled);
  EXPECT_EQ(bench_.comparisons().Get("default", "sides")->state, ComparisonState::kCanceled);
  EXPECT_EQ(bench_.comparisons().Cancel("default", "sides").error().code(), ErrorCode::kConflict);
  EXPECT_TRUE(bench_.comparisons().Delete("default", "sides"));
  EXPECT_EQ(bench_.comparisons().Get("default", "sides").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(bench_.service().Get("default", "sides.two").error().code(), ErrorCode::kNotFound);
}

std::vector<FieldError> ProblemsOf(const VariantComparisonRequest& request,
                                   const std::optional<InferenceConfig>& config) {
  std::vector<FieldError> problems;
  RequestsOf(request, config, problems);
  return problems;
}

TEST(VariantRequestsTest, AnImageStandsForAConfigWhereThereIsNone) {
  Variant variant = VariantWith("a", {{"T", "1"}});
  variant.image = "triton:1";
  std::vector<FieldError> problems;
  const auto requests = RequestsOf(ComparisonOf({variant}), std::nullopt, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(std::get<ImageConfig>(requests[0].inference_config->service).image, "triton:1");
  EXPECT_EQ(requests[0].inference_config->environment_variables.at("T"), "1");
}

TEST(VariantRequestsTest, ACommandStandsForAConfigWhereThereIsNone) {
  Variant variant = VariantWith("a");
  variant.command = {"serve", "--fast"};
  std::vector<FieldError> problems;
  const auto requests = RequestsOf(ComparisonOf({variant}), std::nullopt, problems);
  EXPECT_TRUE(problems.empty());
  const auto& service = std::get<ImageConfig>(requests[0].inference_config->service);
  EXPECT_EQ(service.command, variant.command);
  EXPECT_EQ(service.image, "") << "which the runtime that it is served by takes or refuses";
}

TEST(VariantRequestsTest, ACommandNeedsAConfigWithoutAnEntryScript) {
  Variant variant = VariantWith("a");
  variant.command = {"serve"};
  InferenceConfig script;
  script.service = EntryScriptConfig{};
  const auto problems = ProblemsOf(ComparisonOf({variant}), script);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].pointer, "/variants/0/command");
}

TEST(VariantRequestsTest, ArgumentsAloneAreNoConfig) {
  Variant variant = VariantWith("a");
  variant.args = {"--fast"};
  const auto problems = ProblemsOf(ComparisonOf({variant}), std::nullopt);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].pointer, "/variants/0/args");
}

TEST(VariantRequestsTest, AProblemIsPointedToWhereItsVariantSaysIt) {
  Variant image = VariantWith("a");
  image.image = "triton:1";
  Variant command = VariantWith("b");
  command.command = {"serve"};
  const auto pointer = [](const std::string& of_profile, const Variant& variant, bool shared) {
    return PointerInComparison(of_profile, variant, 1, shared);
  };
  EXPECT_EQ(pointer("/inferenceConfig/image", image, true), "/variants/1/image");
  EXPECT_EQ(pointer("/inferenceConfig/image", command, false), "/variants/1/image");
  EXPECT_EQ(pointer("/inferenceConfig/command/0", command, true), "/variants/1/command/0");
  EXPECT_EQ(pointer("/inferenceConfig/image", command, true), "/inferenceConfig/image")
      << "the image is of the config that all begin with";
  EXPECT_EQ(pointer("/inputDatasetId", image, true), "/inputDatasetId");
}

TEST_F(ComparisonTest, ListsAFewAtATimeHoweverManyAreAskedFor) {
  VariantComparisonRequest request =
      ComparisonOf({VariantWith("one"), VariantWith("two", {{"T", "2"}})});
  bench_.queue().Stop();
  constexpr std::size_t kComparisons = 21;
  for (std::size_t i = 0; i < kComparisons; ++i) {
    request.base.name = "c" + std::to_string(i);
    ASSERT_TRUE(bench_.comparisons().Create("default", request, {}));
  }
  const auto first = bench_.comparisons().List("default", {1000, ""});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->value.size(), 20U);
  ASSERT_TRUE(first->next_cursor.has_value());
  EXPECT_EQ(bench_.comparisons().List("default", {1000, *first->next_cursor})->value.size(), 1U);
}

TEST(VariantRequestsTest, ANameThatMakesOneTooLongIsRefused) {
  const auto problems = ProblemsOf(ComparisonOf({VariantWith(std::string(255, 'a'))}), {});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].pointer, "/variants/0/name");
}

}  // namespace
}  // namespace mlprof::server
