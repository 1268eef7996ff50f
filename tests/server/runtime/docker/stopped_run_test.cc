// A run is stopped while its engine hangs: it ends soon, and nothing it made is forgotten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <future>

#include "common/os/unique_fd.h"
#include "server/runtime/docker/accept_agent.h"
#include "server/runtime/docker/remove_container.h"
#include "tests/server/runtime/docker/fake_engine_test.h"

namespace mlprof::server::docker {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

// What a stopped call may take on a busy machine.
constexpr auto kSoonStopped = 2s;

const std::string kRemoval = "DELETE " + kContainer;

class SilentAgent final : public AgentLink {
 public:
  void Listen(AgentListener*) override {}
  void Start(const agent_protocol::Start&) override {}
  void SetConnections(const agent_protocol::Connections&) override {}
  void SendRow(agent_protocol::Row) override {}
  void TakeCensus(const agent_protocol::CensusQuestion&) override {}
  void Stop(const agent_protocol::Stop&) override {}
  Result<std::unique_ptr<PortStream>> Connect(int, Deadline) override {
    return Fail(ErrorCode::kUnavailable, "no ports");
  }
};

Result<std::unique_ptr<AgentLink>> AdoptSilent(int fd, const Patience&) {
  const UniqueFd connection(fd);
  return std::make_unique<SilentAgent>();
}

class StoppedRun : public FakeEngineTest {
 protected:
  StoppedRun() : FakeEngineTest(&AdoptSilent) {
    docker_.On("GET " + kContainer + "/json", 200, State("installation"));
  }

  static std::string State(const std::string& instance) {
    return R"({"Id":")" + kContainerId + R"(","State":{"Running":true,"Pid":)" +
           std::to_string(::getpid()) + R"(},"Config":{"Labels":{"mlprof.instance":")" + instance +
           R"("}}})";
  }

  Result<std::unique_ptr<Target>> Launch() { return LaunchImage(stop_.get_token()); }

  /// Stops a launch once the engine has been asked for `call`; how long it went on then.
  std::chrono::duration<double> StopLaunchAt(const std::string& call) {
    auto launch = std::async(std::launch::async, [&] { return Launch(); });
    AwaitCall(call);
    stop_.request_stop();
    const auto asked = Deadline::Clock::now();
    const auto target = launch.get();
    EXPECT_EQ(target ? ErrorCode::kInternal : target.error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(context_->live.Names().empty());
    return Deadline::Clock::now() - asked;
  }

  // Connects to the launch's socket as its agent would.
  UniqueFd ConnectAsAgent() {
    const auto root = SocketRoot(folder_, "installation");
    const std::string path = (*root / ShortName("mlprof-p-1") / "agent.sock").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    UniqueFd agent(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(agent.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return agent;
  }

  std::stop_source stop_;
};

TEST_F(StoppedRun, FindsAndRemovesTheContainerOfACreateThatGotNoResponse) {
  docker_.On("POST /containers/create", kNoResponse);
  docker_.On("GET /containers/mlprof-p-1/json", 200, State("installation"));
  EXPECT_LT(StopLaunchAt("POST /containers/create"), kSoonStopped);
  EXPECT_THAT(docker_.Calls(), Contains(kRemoval));
}

TEST_F(StoppedRun, RemovesTheContainerThatTheEngineGoesOnToCreate) {
  docker_.On("POST /containers/create", kNoResponse);
  const fakes::FakeResponse not_yet{404, R"({"message":"No such container"})"};
  docker_.On("GET /containers/mlprof-p-1/json", {not_yet, not_yet, {200, State("installation")}});
  EXPECT_LT(StopLaunchAt("POST /containers/create"), kSoonStopped);
  EXPECT_THAT(docker_.Calls(), Contains(kRemoval));
}

TEST_F(StoppedRun, DoesNotWaitForEverForAContainerThatWasNeverCreated) {
  docker_.On("POST /containers/create", kNoResponse);
  docker_.On("GET /containers/mlprof-p-1/json", 404, R"({"message":"No such container"})");
  EXPECT_LT(StopLaunchAt("POST /containers/create"), kRemovalAfterStop + kSoonStopped);
}

TEST_F(StoppedRun, LeavesAContainerOfSomebodyElseAlone) {
  docker_.On("POST /containers/create", kNoResponse);
  docker_.On("GET /containers/mlprof-p-1/json", 200, State("another"));
  EXPECT_LT(StopLaunchAt("POST /containers/create"), kSoonStopped);
  EXPECT_THAT(docker_.Calls(), Not(Contains(HasSubstr("DELETE"))));
}

TEST_F(StoppedRun, RemovesTheContainerOfAStartThatGotNoResponse) {
  docker_.On("POST " + kContainer + "/start", kNoResponse);
  EXPECT_LT(StopLaunchAt("POST " + kContainer + "/start"), kSoonStopped);
  EXPECT_THAT(docker_.Calls(), Contains(kRemoval));
}

TEST_F(StoppedRun, GivesUpARemovalThatGetsNoResponse) {
  docker_.On("POST " + kContainer + "/start", kNoResponse);
  docker_.On("DELETE /containers/", kNoResponse);
  EXPECT_LT(StopLaunchAt("POST " + kContainer + "/start"), kRemovalAfterStop + kSoonStopped);
}

TEST_F(StoppedRun, GivesUpARemovalThatHadBegunBefore) {
  docker_.On("POST " + kContainer + "/start", 500, R"({"message":"no"})");
  docker_.On("DELETE /containers/", kNoResponse);
  auto launch = std::async(std::launch::async, [&] { return Launch().has_value(); });
  AwaitCall(kRemoval);
  stop_.request_stop();
  ASSERT_EQ(launch.wait_for(kRemovalAfterStop + kSoonStopped), std::future_status::ready);
  EXPECT_FALSE(launch.get());
}

// Packages run code while they are installed, and may have kept in the image what they read then.
TEST_F(StoppedRun, ShowsNoPasswordOfThisMachineInAContainersLog) {
  ASSERT_EQ(::setenv("PIP_EXTRA_INDEX_URL", "https://ann:s3cret-word@index.example/simple", 1), 0);
  auto launch = std::async(std::launch::async, [&] { return Launch(); });
  AwaitCall("GET " + kContainer + "/json");
  const UniqueFd agent = ConnectAsAgent();
  const auto target = launch.get();
  ::unsetenv("PIP_EXTRA_INDEX_URL");
  ASSERT_TRUE(target) << target.error().message();
  const std::string said = "it read s3cret-word then\n";
  std::string frame("\x01\0\0\0\0\0\0", 7);
  frame += static_cast<char>(said.size());
  docker_.On("GET " + kContainer + "/logs", 200, frame + said);
  EXPECT_EQ((*target)->Logs(KiB(8), Deadline::After(5s)).value_or("none"), "it read *** then\n");
}

TEST_F(StoppedRun, GetsAMomentForTheLastWordsOfItsContainer) {
  if (::getuid() != 0) GTEST_SKIP() << "the agent is root";
  auto launch = std::async(std::launch::async, [&] { return Launch(); });
  AwaitCall("GET " + kContainer + "/json");
  const UniqueFd agent = ConnectAsAgent();
  auto target = launch.get();
  ASSERT_TRUE(target) << target.error().message();
  for (const std::string what : {"/json", "/logs"}) {
    docker_.On("GET " + kContainer + what, kNoResponse);
  }
  docker_.On("POST " + kContainer, kNoResponse);

  auto update = std::async(std::launch::async, [&] {
    return (*target)->SetCpu(Cores(0.5), Deadline::After(60s)).error().code();
  });
  AwaitCall("POST " + kContainer + "/update");
  stop_.request_stop();
  const auto stopped = Deadline::Clock::now();
  EXPECT_EQ(update.get(), ErrorCode::kCancelled);
  EXPECT_FALSE((*target)->Logs(KiB(8), Deadline::After(60s)));
  EXPECT_FALSE((*target)->Inspect(Deadline::After(60s)));
  EXPECT_FALSE((*target)->Logs(KiB(8), Deadline::After(60s)));
  EXPECT_LT(Deadline::Clock::now() - stopped, 1s + kSoonStopped);
}

TEST_F(StoppedRun, EndsAPreparationWhoseLogNeverEnds) {
  docker_.On("GET " + kContainer + "/logs", kNoResponse);
  auto prepared = std::async(std::launch::async,
                             [&] { return PrepareEntryScript(stop_.get_token()).error().code(); });
  AwaitCall("GET " + kContainer + "/logs");
  stop_.request_stop();
  ASSERT_EQ(prepared.wait_for(kSoonStopped), std::future_status::ready);
  EXPECT_EQ(prepared.get(), ErrorCode::kCancelled);
  EXPECT_THAT(docker_.Calls(), Contains(kRemoval));
}

TEST_F(StoppedRun, AsksForAStopWithoutWaitingForTheEngine) {
  docker_.On("GET " + kContainer + "/logs", kNoResponse);
  docker_.On("POST " + kContainer + "/kill", kNoResponse);
  docker_.On("DELETE /containers/", kNoResponse);
  auto prepared = std::async(std::launch::async,
                             [&] { return PrepareEntryScript(stop_.get_token()).has_value(); });
  AwaitCall("GET " + kContainer + "/logs");
  const auto asked = Deadline::Clock::now();
  stop_.request_stop();
  EXPECT_LT(Deadline::Clock::now() - asked, 500ms);
  ASSERT_EQ(prepared.wait_for(kRemovalAfterStop + kSoonStopped), std::future_status::ready);
}

TEST_F(StoppedRun, EndsAPreparationThatWaitsForAnother) {
  docker_.On("GET /images/base/json", kNoResponse);
  std::stop_source first;
  auto other = std::async(std::launch::async,
                          [&] { return PrepareEntryScript(first.get_token()).has_value(); });
  AwaitCall("GET /images/base/json");
  auto waiting = std::async(std::launch::async,
                            [&] { return PrepareEntryScript(stop_.get_token()).error().code(); });
  stop_.request_stop();
  ASSERT_EQ(waiting.wait_for(kSoonStopped), std::future_status::ready);
  EXPECT_EQ(waiting.get(), ErrorCode::kCancelled);
  first.request_stop();
}

TEST_F(StoppedRun, EndsTheRemovalOfOrphans) {
  docker_.On("GET /containers/json", 200,
             R"([{"Id":")" + kContainerId + R"(","Names":["/mlprof-old-1"]},{"Id":")" +
                 std::string(64, 'd') + R"(","Names":["/mlprof-old-2"]}])");
  docker_.On("DELETE /containers/", kNoResponse);
  auto removed = std::async(std::launch::async, [&] {
    return runtime_->RemoveOrphans(Deadline::After(60s), stop_.get_token()).error().code();
  });
  AwaitCall(kRemoval);
  stop_.request_stop();
  ASSERT_EQ(removed.wait_for(kSoonStopped), std::future_status::ready);
  EXPECT_EQ(removed.get(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace mlprof::server::docker
