#include "server/analysis/thread_pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::HasSubstr;
using Settings = std::map<std::string, std::string>;

ThreadPoolEvidence Evidence(std::vector<std::string> libraries) {
  ThreadPoolEvidence evidence;
  evidence.threads = 40;
  evidence.processes = 1;
  evidence.libraries = std::move(libraries);
  evidence.limit = Cores(2.5);
  evidence.throttled_share = 0.6;
  evidence.visible_cores = 40;
  return evidence;
}

TEST(ThreadPoolsTest, AreSuspectedWhereTheyCountTheHostsCoresAndAreThrottled) {
  EXPECT_TRUE(PoolsSuspected(Evidence({"libgomp"})));
  auto calm = Evidence({"libgomp"});
  calm.throttled_share = 0.04;
  EXPECT_FALSE(PoolsSuspected(calm));
  auto small = Evidence({"libgomp"});
  small.threads = 3;
  EXPECT_FALSE(PoolsSuspected(small));
  auto whole_host = Evidence({"libgomp"});
  whole_host.limit = Cores(40.0);
  EXPECT_FALSE(PoolsSuspected(whole_host));
}

TEST(ThreadPoolsTest, NeedOneThreadMoreWhereNoLibraryIsKnown) {
  auto unknown = Evidence({});
  EXPECT_FALSE(PoolsSuspected(unknown));
  EXPECT_EQ(SuggestPoolSizes(unknown, 3), std::nullopt);
  unknown.threads = 41;
  EXPECT_TRUE(PoolsSuspected(unknown));
  EXPECT_EQ(SuggestPoolSizes(unknown, 3), (Settings{{"OMP_NUM_THREADS", "3"}}));
}

TEST(ThreadPoolsTest, AreNotSeenInThreadsThatRandomArrivalsMakeWhereNoLibraryIsKnown) {
  auto unknown = Evidence({});
  unknown.threads = 41;
  unknown.random_arrivals = true;
  EXPECT_FALSE(PoolsSuspected(unknown));
  EXPECT_EQ(SuggestPoolSizes(unknown, 3), std::nullopt);
  auto known = Evidence({"libgomp"});
  known.random_arrivals = true;
  EXPECT_TRUE(PoolsSuspected(known));
}

TEST(ThreadPoolsTest, AreSizedByTheVariablesOfTheirLibraries) {
  EXPECT_EQ(SuggestPoolSizes(Evidence({"libgomp"}), 2), (Settings{{"OMP_NUM_THREADS", "2"}}));
  EXPECT_EQ(SuggestPoolSizes(Evidence({"libopenblas", "libtensorflow"}), 2),
            (Settings{{"OPENBLAS_NUM_THREADS", "2"},
                      {"TF_NUM_INTRAOP_THREADS", "2"},
                      {"TF_NUM_INTEROP_THREADS", "2"}}));
  EXPECT_EQ(SuggestPoolSizes(Evidence({"libtorch"}), 0),
            (Settings{{"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}}));
  EXPECT_EQ(SuggestPoolSizes(Evidence({"libonnxruntime"}), 2),
            (Settings{{"OMP_NUM_THREADS", "2"}}));
}

TEST(ThreadPoolsTest, LeaveWhatTheCallerSet) {
  auto set = Evidence({"libgomp", "libmkl", "libtensorflow"});
  set.environment = {{"OMP_NUM_THREADS", "8"}, {"TF_NUM_INTEROP_THREADS", "8"}};
  EXPECT_EQ(SuggestPoolSizes(set, 2), (Settings{{"TF_NUM_INTRAOP_THREADS", "2"}}));
  auto all_set = Evidence({"libgomp", "libopenblas"});
  all_set.environment = {{"OMP_NUM_THREADS", "8"}};
  EXPECT_EQ(SuggestPoolSizes(all_set, 2), std::nullopt);
}

TEST(ThreadPoolsTest, LowerTheServersProcessesOnlyWhereTheyCountTheHostsCores) {
  auto workers = Evidence({});
  workers.visible_cores = 4;
  workers.limit = Cores(1.0);
  workers.processes = 1 + 9;
  workers.threads = 10;
  EXPECT_TRUE(PoolsSuspected(workers));
  EXPECT_EQ(SuggestPoolSizes(workers, 1), (Settings{{"WEB_CONCURRENCY", "1"}}));
  workers.processes = 1 + 3;
  workers.threads = 4;
  EXPECT_FALSE(PoolsSuspected(workers));
  EXPECT_EQ(SuggestPoolSizes(workers, 1), std::nullopt);
}

TEST(ThreadPoolsTest, AreNotTakenForLargeWhereManyProcessesHoldAFewThreadsEach) {
  auto workers = Evidence({"libgomp"});
  workers.visible_cores = 8;
  workers.limit = Cores(4.0);
  workers.processes = 1 + 5;
  workers.threads = 1 + 5 * 4;
  EXPECT_FALSE(PoolsSuspected(workers));
  workers.threads = 1 + 5 * 8;
  EXPECT_TRUE(PoolsSuspected(workers));
}

TEST(ThreadPoolsTest, AreLeftToTheProgramWhereNoVariableReachesThem) {
  auto onnx = Evidence({"libonnxruntime"});
  onnx.entry_script = true;
  EXPECT_THAT(AdviseOnPools(onnx, 3).value_or(""),
              HasSubstr("intra_op_num_threads of its session options to 3 in the entry script"));
  EXPECT_THAT(AdviseOnPools(Evidence({"libtbb"}), 3).value_or(""), HasSubstr("the image"));
  EXPECT_EQ(AdviseOnPools(Evidence({"libgomp"}), 3), std::nullopt);
}

}  // namespace
}  // namespace mlprof::server
