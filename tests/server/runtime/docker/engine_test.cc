#include "server/runtime/docker/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/percent.h"
#include "tests/fakes/fake_docker.h"
#include "tests/fakes/soon.h"

namespace mlprof::server::docker {
namespace {

using fakes::FakeDocker;
using fakes::FakeResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

using fakes::Soon;

TEST(DockerEngineTest, SpeaksTheOlderOfBothVersions) {
  for (const auto& [offered, spoken] :
       {std::pair<const char*, const char*>{"1.41", "1.41"}, {"1.52", "1.44"}, {"1.24", "1.24"}}) {
    FakeDocker docker(offered);
    docker.On("GET /info", 200, R"({"NCPU":2})");
    DockerEngine engine(docker.socket(), {});
    EXPECT_EQ(engine.Info(Soon())->cpus, 2);
    EXPECT_EQ(docker.Requests().front().version, spoken);
  }
}

TEST(DockerEngineTest, RefusesAnEngineThatIsTooOld) {
  FakeDocker docker("1.12");
  const Status ping = DockerEngine(docker.socket(), {}).Ping(Soon());
  ASSERT_FALSE(ping);
  EXPECT_THAT(ping.error().message(), HasSubstr("20.10 or newer"));
}

TEST(DockerEngineTest, SaysThatNoDaemonListens) {
  const Status ping = DockerEngine("/nonexistent/docker.sock", {}).Ping(Soon());
  ASSERT_FALSE(ping);
  EXPECT_EQ(ping.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(ping.error().message(), HasSubstr("start it"));
}

TEST(DockerEngineTest, GivesUpOnACallThatNeverReturns) {
  FakeDocker docker;
  docker.On("GET /info", {{200, "", FakeResponse::Way::kNever}});
  const auto info = DockerEngine(docker.socket(), {}).Info(Deadline::After(30ms));
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code(), ErrorCode::kDeadlineExceeded);
}

TEST(DockerEngineTest, AsksAgainAfterAReset) {
  FakeDocker docker;
  docker.On("GET /info", {{200, "", FakeResponse::Way::kReset},
                          {200, R"({"NCPU":4})", FakeResponse::Way::kWhole}});
  EXPECT_EQ(DockerEngine(docker.socket(), {}).Info(Soon())->cpus, 4);
}

TEST(DockerEngineTest, SurvivesAResponseThatIsNoHttpOrNoJson) {
  FakeDocker docker;
  docker.On("GET /info",
            {{200, "", FakeResponse::Way::kGarbled}, {200, "{not", FakeResponse::Way::kWhole}});
  DockerEngine engine(docker.socket(), {});
  EXPECT_FALSE(engine.Info(Soon()));
  EXPECT_FALSE(engine.Info(Soon()));
}

TEST(DockerEngineTest, SaysWhatWasAskedAndRespondedAndWhatToDo) {
  FakeDocker docker;
  docker.On("POST /containers/create", 500, R"({"message":"write /x: no space left on device"})");
  const auto id = DockerEngine(docker.socket(), {}).CreateContainer("c", Json::object(), Soon());
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code(), ErrorCode::kResourceExhausted);
  EXPECT_THAT(id.error().message(), HasSubstr("create container c"));
  EXPECT_THAT(id.error().message(), HasSubstr("no space left on device"));
  EXPECT_THAT(id.error().message(), HasSubstr("free some space"));
}

TEST(DockerEngineTest, UpdatesTheCpuByPeriodAndQuota) {
  FakeDocker docker;
  docker.On("POST /containers/c/update", 200, "{}");
  EXPECT_TRUE(DockerEngine(docker.socket(), {}).UpdateCpu("c", Cores(0.3), Soon()));
  EXPECT_EQ(docker.Requests().back().body, R"({"CpuPeriod":100000,"CpuQuota":30000})");
}

TEST(DockerEngineTest, UpdatesTheMemoryWithoutSwap) {
  FakeDocker docker;
  docker.On("POST /containers/c/update", 200, "{}");
  EXPECT_TRUE(DockerEngine(docker.socket(), {}).UpdateMemory("c", MiB(1), Soon()));
  EXPECT_EQ(docker.Requests().back().body, R"({"Memory":1048576,"MemorySwap":1048576})");
}

TEST(DockerEngineTest, TakesAnEndedOrMissingContainerAsKilledAndRemoved) {
  FakeDocker docker;
  docker.On("POST /containers/c/kill", 409, R"({"message":"is not running"})");
  docker.On("DELETE /containers/c", 404, R"({"message":"No such container"})");
  DockerEngine engine(docker.socket(), {});
  EXPECT_TRUE(engine.Kill("c", Soon()));
  EXPECT_TRUE(engine.Remove("c", Soon()));
  EXPECT_EQ(docker.Requests().back().target, "/containers/c?force=1&v=1");
}

TEST(DockerEngineTest, TellsWhatHappenedToAContainer) {
  FakeDocker docker;
  docker.On("GET /events", 200,
            "{\"Type\":\"container\",\"Action\":\"start\"}\n{\"Action\":\"oom\"}\nnot JSON\n"
            "{\"Action\":\"die\"}\n");
  const auto events = DockerEngine(docker.socket(), {}).Events("c1", Soon());
  ASSERT_TRUE(events);
  EXPECT_THAT(*events, ElementsAre("start", "oom", "die"));
  const std::string target = docker.Requests().back().target;
  EXPECT_THAT(target, HasSubstr("since=1&until=1"));
  EXPECT_THAT(target, HasSubstr(PercentEncode(R"("container":["c1"])")));
}

TEST(DockerEngineTest, SeesAFailedPullThoughItsStatusIs200) {
  FakeDocker docker;
  docker.On("POST /images/create", 200,
            "{\"status\":\"Pulling from x\"}\n{\"status\":\"Downloading\",\"progress\":\"[=>]\"}\n"
            "{\"errorDetail\":{\"message\":\"manifest unknown\"},\"error\":\"manifest unknown\"}");
  std::vector<std::string> lines;
  const auto on_line = [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  };
  const Status pulled = DockerEngine(docker.socket(), {}).PullImage("x", "1", on_line, Soon());
  ASSERT_FALSE(pulled);
  EXPECT_THAT(pulled.error().message(), HasSubstr("manifest unknown"));
  EXPECT_THAT(lines, ElementsAre("Pulling from x"));
}

TEST(DockerEngineTest, TellsTheObserverOfEachCall) {
  FakeDocker docker;
  docker.On("GET /info", 200, "{}");
  std::vector<std::pair<std::string, bool>> seen;
  DockerEngine engine(docker.socket(), [&](std::string_view call, bool succeeded, double) {
    seen.emplace_back(call, succeeded);
  });
  (void)engine.Info(Soon());
  (void)engine.StartContainer("missing", Soon());
  EXPECT_THAT(seen, ElementsAre(std::pair("info", true), std::pair("start", false)));
}

}  // namespace
}  // namespace mlprof::server::docker
