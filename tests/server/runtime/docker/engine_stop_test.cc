// Whatever the engine does with a call, its caller can give up.
#include <gtest/gtest.h>

#include <future>

#include "server/runtime/docker/engine.h"
#include "tests/fakes/fake_docker.h"

namespace mlprof::server::docker {
namespace {

using fakes::FakeDocker;
using fakes::FakeResponse;
using namespace std::chrono_literals;

struct Call {
  const char* name;
  std::function<ErrorCode(DockerEngine&, const Patience&)> make;
};

template <class Made>
ErrorCode CodeOf(const Made& made) {
  return made ? ErrorCode::kInternal : made.error().code();
}

// Some megabytes, so that an upload is still under way.
std::filesystem::path File() { return "/proc/self/exe"; }

const Call kCalls[] = {
    {"Ping", [](auto& e, const auto& p) { return CodeOf(e.Ping(p)); }},
    {"Info", [](auto& e, const auto& p) { return CodeOf(e.Info(p)); }},
    {"CreateContainer",
     [](auto& e, const auto& p) { return CodeOf(e.CreateContainer("c", Json::object(), p)); }},
    {"StartContainer", [](auto& e, const auto& p) { return CodeOf(e.StartContainer("c", p)); }},
    {"UpdateCpu", [](auto& e, const auto& p) { return CodeOf(e.UpdateCpu("c", Cores(1), p)); }},
    {"UpdateMemory", [](auto& e, const auto& p) { return CodeOf(e.UpdateMemory("c", MiB(1), p)); }},
    {"InspectContainer", [](auto& e, const auto& p) { return CodeOf(e.InspectContainer("c", p)); }},
    {"Events", [](auto& e, const auto& p) { return CodeOf(e.Events("c", p)); }},
    {"Logs", [](auto& e, const auto& p) { return CodeOf(e.Logs("c", p)); }},
    {"FollowLogs",
     [](auto& e, const auto& p) {
       return CodeOf(e.FollowLogs(
           "c", [](std::string_view) {}, p));
     }},
    {"Wait", [](auto& e, const auto& p) { return CodeOf(e.Wait("c", p)); }},
    {"Kill", [](auto& e, const auto& p) { return CodeOf(e.Kill("c", p)); }},
    {"Remove", [](auto& e, const auto& p) { return CodeOf(e.Remove("c", p)); }},
    {"ListContainers", [](auto& e, const auto& p) { return CodeOf(e.ListContainers("l", p)); }},
    {"InspectImage", [](auto& e, const auto& p) { return CodeOf(e.InspectImage("i", p)); }},
    {"Commit",
     [](auto& e, const auto& p) { return CodeOf(e.Commit("c", "r", "t", Json::object(), p)); }},
    {"ImportImage",
     [](auto& e, const auto& p) { return CodeOf(e.ImportImage(File(), "r", "t", p)); }},
    {"PullImage",
     [](auto& e, const auto& p) {
       return CodeOf(e.PullImage(
           "r", "t", [](std::string_view) { return true; }, p));
     }},
};

/// The engine has been asked; its caller gives up. What the call says then.
ErrorCode GivenUp(FakeDocker& docker, const Call& call, std::size_t asked) {
  DockerEngine engine(docker.socket(), {});
  std::stop_source stop;
  auto made = std::async(std::launch::async, [&] {
    return call.make(engine, {Deadline::After(60s), stop.get_token()});
  });
  const Deadline soon = Deadline::After(10s);
  while (docker.Requests().size() <= asked && !soon.Passed()) std::this_thread::yield();
  stop.request_stop();
  EXPECT_EQ(made.wait_for(1s), std::future_status::ready) << call.name;
  return made.get();
}

TEST(EngineStop, EndsEveryCallOfAnEngineThatNeverResponds) {
  for (const Call& call : kCalls) {
    FakeDocker docker;
    docker.On("", {{200, "", FakeResponse::Way::kNever}});
    if (std::string(call.name) == "Ping") {
      docker.On("GET /_ping", {{200, "", FakeResponse::Way::kNever}});
    }
    EXPECT_EQ(GivenUp(docker, call, 0), ErrorCode::kCancelled) << call.name;
  }
}

TEST(EngineStop, EndsEveryCallOfAnEngineThatStopsHalfWay) {
  const std::string body(1000, ' ');
  for (const Call& call : kCalls) {
    if (std::string(call.name) == "ImportImage") continue;  // an early response ends an upload
    FakeDocker docker;
    docker.On("", {{200, body, FakeResponse::Way::kHalf}});
    docker.On("GET /_ping",
              {{200, "", FakeResponse::Way::kWhole}, {200, body, FakeResponse::Way::kHalf}});
    EXPECT_EQ(GivenUp(docker, call, 1), ErrorCode::kCancelled) << call.name;
  }
}

TEST(EngineStop, EndsTheQuestionForItsVersionToo) {
  FakeDocker docker;
  docker.On("GET /_ping", {{200, "", FakeResponse::Way::kNever}});
  EXPECT_EQ(GivenUp(docker, kCalls[2], 0), ErrorCode::kCancelled);
}

TEST(EngineStop, EndsAResponseThatComesByteByByte) {
  FakeDocker docker;
  docker.On("GET /info", {{200, std::string(100'000, ' '), FakeResponse::Way::kSlow}});
  EXPECT_EQ(GivenUp(docker, kCalls[1], 0), ErrorCode::kCancelled);
}

TEST(EngineStop, AsksNothingForACallerThatHasGivenUp) {
  FakeDocker docker;
  docker.On("POST /containers/create", 200, R"({"Id":"c1"})");
  std::stop_source stop;
  stop.request_stop();
  DockerEngine engine(docker.socket(), {});
  const auto made =
      engine.CreateContainer("c", Json::object(), {Deadline::After(5s), stop.get_token()});
  EXPECT_EQ(CodeOf(made), ErrorCode::kCancelled);
  EXPECT_TRUE(docker.Requests().empty());
}

}  // namespace
}  // namespace mlprof::server::docker
