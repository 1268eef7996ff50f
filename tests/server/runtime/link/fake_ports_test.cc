// The imitated target's ports behave as a real one's.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/fakes/fake_agent_link.h"
#include "tests/fakes/soon.h"

namespace mlprof::server {
namespace {

class HeedlessListener : public AgentListener {
 public:
  void OnResponse(const agent_protocol::Response&) override {}
  void OnSample(const Sample&) override {}
  void OnReady(const agent_protocol::Ready&) override { ready = true; }
  void OnProcessEvent(const agent_protocol::ProcessEvent&) override {}
  void OnClosed(const Error&) override {}
  std::atomic<bool> ready = false;
};

TEST(FakePortsTest, AreThereFromReadinessToTheEndOfTheModel) {
  FakeModel model;
  model.ports[6000] = [](std::string_view heard) { return std::string(heard) + "!"; };
  FakeRuntime runtime(model);
  LaunchRequest request;
  request.limits = {Cores(1.0), GiB(1)};
  auto target = runtime.Launch(request, {}, fakes::Soon());
  ASSERT_TRUE(target);
  const Deadline soon = fakes::Soon();
  EXPECT_EQ((*target)->Connect(6000, soon).error().code(), ErrorCode::kUnavailable);

  HeedlessListener listener;
  (*target)->agent().Listen(&listener);
  (*target)->agent().Start({});
  while (!listener.ready && !soon.Passed()) std::this_thread::yield();
  EXPECT_EQ((*target)->Connect(6001, soon).error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ((*target)->Connect(0, soon).error().code(), ErrorCode::kInvalidArgument);
  auto stream = (*target)->Connect(6000, soon);
  ASSERT_TRUE(stream);
  ASSERT_TRUE((*stream)->Write("hello", soon));
  EXPECT_EQ((*stream)->Read(soon).value(), "hello!");

  (*target)->agent().Stop({});
  const auto over = (*stream)->Read(soon);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().message(), "the model ended");
  (*target)->agent().Listen(nullptr);
}

}  // namespace
}  // namespace mlprof::server
