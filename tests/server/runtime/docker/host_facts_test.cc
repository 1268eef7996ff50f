#include "server/runtime/docker/host_facts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fakes/soon.h"
#include "tests/server/runtime/docker/fake_engine_test.h"

namespace mlprof::server::docker {
namespace {

class HostFactsTest : public FakeEngineTest {
 protected:
  std::ptrdiff_t Asked() {
    const auto calls = docker_.Calls();
    return std::count(calls.begin(), calls.end(), "GET /info");
  }
};

// To describe its machine is work for an engine, which a model that is measured would feel.
TEST_F(HostFactsTest, AreAskedForOnceForAllContainers) {
  ASSERT_EQ(KnownHost(*context_, fakes::Soon())->cores, 2);
  EXPECT_EQ(KnownHost(*context_, fakes::Soon())->memory, Bytes(8'000'000'000));
  EXPECT_EQ(Asked(), 1);
}

TEST_F(HostFactsTest, AreWhatTheEngineSaidLast) {
  ASSERT_TRUE(runtime_->Host(fakes::Soon(), {}));
  docker_.On("GET /info", 200, R"({"NCPU":4,"MemTotal":8000000000})");
  EXPECT_EQ(KnownHost(*context_, fakes::Soon())->cores, 2);
  EXPECT_EQ(runtime_->Host(fakes::Soon(), {})->cores, 4);
  EXPECT_EQ(KnownHost(*context_, fakes::Soon())->cores, 4);
}

}  // namespace
}  // namespace mlprof::server::docker
