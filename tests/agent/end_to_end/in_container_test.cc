// The agent as a container's process 1, with the few capabilities it has there and a model under
// another user. Skipped without Docker.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/model_start.h"
#include "tests/agent/end_to_end/agent_process.h"
#include "tests/fakes/folder_input.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using agent_protocol::Response;

constexpr const char* kSocket = "/var/run/docker.sock";
constexpr const char* kPoolFile = "libgomp-a34b3233.so.1.0.0";
constexpr const char* kImage = "mlprof-test-agent:1";

class AgentInContainerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    docker::DockerEngine engine(kSocket, {});
    if (!engine.Ping(Deadline::After(5s))) return;
    const std::string make = MLPROF_SOURCE_DIR "/tests/targets/make-image " + std::string(kImage) +
                             " " MLPROF_BINARY_DIR "/bin/target-target-server > /dev/null";
    ASSERT_EQ(std::system(make.c_str()), 0);
  }
  static void TearDownTestSuite() {
    docker::DockerEngine engine(kSocket, {});
    if (!engine.Ping(Deadline::After(5s))) return;
    const std::string remove = std::string("docker rmi -f ") + kImage + " > /dev/null 2>&1";
    [[maybe_unused]] const int status = std::system(remove.c_str());
  }

  void SetUp() override {
    docker::DockerEngine engine(kSocket, {});
    const Status ping = engine.Ping(Deadline::After(5s));
    if (!ping) GTEST_SKIP() << ping.error().message();
    char name[] = "/tmp/mlprof-agent-test.XXXXXX";
    folder_ = ::mkdtemp(name);
    DockerOptions options;
    options.agent_binary = MLPROF_BINARY_DIR "/bin/mlprof-agent";
    options.data_dir = folder_ / "data";
    options.instance_id = "agenttest" + std::to_string(::getpid());
    auto runtime = MakeDockerRuntime(options);
    ASSERT_TRUE(runtime) << runtime.error().message();
    runtime_ = *std::move(runtime);
  }
  void TearDown() override {
    if (target_) target_->agent().Listen(nullptr);
    target_.reset();
    if (runtime_) runtime_->RemoveOrphans(Deadline::After(30s));
    runtime_.reset();
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void Start(const std::vector<std::string>& arguments, bool drop_cache = false) {
    ImageConfig service;
    service.image = kImage;
    service.args = arguments;
    LaunchRequest request;
    request.container_name = "mlprof-agent-test-" + std::to_string(::getpid());
    request.profile_id = "p";
    request.config.service = service;
    request.limits = {Cores(1.0), GiB(1)};
    fs::create_directories(folder_ / "model");
    std::ofstream(folder_ / "model" / kPoolFile) << std::string(1 << 20, 'x');
    request.inputs = {fakes::FolderInput(folder_ / "model", "/model")};
    auto image = runtime_->Prepare(
        {request.config, {}}, [](std::string_view) {}, {}, Deadline::After(60s));
    ASSERT_TRUE(image) << image.error().message();
    request.image = *image;
    auto target = runtime_->Launch(request, {}, Deadline::After(60s));
    ASSERT_TRUE(target) << target.error().message();
    target_ = *std::move(target);
    target_->agent().Listen(&recorder_);
    auto start = StartFor(request.image, request.config);
    if (drop_cache) start.drop_cache = {"/", "/model"};
    target_->agent().Start(start);
    ASSERT_TRUE(recorder_.WaitReady());
  }
  Target& target() { return *target_; }
  Response Row(const std::string& body) {
    target_->agent().SendRow({sent_++, true, body});
    EXPECT_TRUE(recorder_.WaitResponses(sent_));
    return recorder_.responses.back();
  }

  Recorder recorder_;

 private:
  fs::path folder_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Target> target_;
  std::uint64_t sent_ = 0;
};

TEST_F(AgentInContainerTest, EverySpikeIsNamedWithItsRowAndCarriedByASample) {
  Start({});
  for (int i = 0; i < 10; ++i) {
    const Response plain = Row("burn=1");
    ASSERT_TRUE(plain.peak_rise);
    // Where transparent huge pages are on for all, a heap grows by 2 MiB at once.
    EXPECT_LT(*plain.peak_rise, MiB(4));
    const Response spike = Row("spike=500:5");
    ASSERT_TRUE(spike.peak_rise);
    EXPECT_NEAR(spike.peak_rise->mib(), 500, 5);
  }
  ASSERT_TRUE(recorder_.Wait([&] {
    const Sample& last = recorder_.samples.back();
    return last.peak_unreclaimable && *last.peak_unreclaimable < MiB(100);
  }));
  int carried = 0;
  for (const Sample& sample : recorder_.samples) {
    if (!sample.peak_unreclaimable || *sample.peak_unreclaimable < MiB(490)) continue;
    ++carried;
    EXPECT_LT(sample.peak_unreclaimable->mib(), 520);
  }
  EXPECT_GE(carried, 10);
}

TEST_F(AgentInContainerTest, APortOfAModelWithoutANetworkIsReached) {
  Start({});
  const auto stream = target().Connect(ImageConfig{}.port, Deadline::After(10s));
  ASSERT_TRUE(stream) << stream.error().message();
  ASSERT_TRUE((*stream)->Write("POST /score HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nburn=1",
                               Deadline::After(10s)));
  const auto response = (*stream)->Read(Deadline::After(10s));
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->rfind("HTTP/1.1 200", 0), 0u) << *response;
  const auto refused = target().Connect(1, Deadline::After(10s));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "nothing listens on port 1 of the container");
}

TEST_F(AgentInContainerTest, ASignalFromOutsideIsToldBeforeTheEndItCauses) {
  Start({});
  const std::string kill = "docker kill --signal TERM " + target().container_id() + " > /dev/null";
  ASSERT_EQ(std::system(kill.c_str()), 0);
  using Kind = agent_protocol::ProcessEvent::Kind;
  ASSERT_TRUE(recorder_.WaitEvent(Kind::kExited));
  const auto told = recorder_.WaitEvent(Kind::kToldToEnd);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->signal, SIGTERM);
  const auto place = [&](Kind kind) {
    return std::ranges::find(recorder_.events, kind, &agent_protocol::ProcessEvent::kind);
  };
  EXPECT_LT(place(Kind::kToldToEnd), place(Kind::kExited));
  EXPECT_TRUE(recorder_.WaitClosed()) << "whoever stops the container waits for its end";
}

TEST_F(AgentInContainerTest, AForkedWorkersSpikeIsNamed) {
  Start({"--workers", "3", "--start-mib", "50"});
  // The first worker may answer before the last is there.
  EXPECT_GE(recorder_.ready->processes, 2);
  for (int i = 0; i < 5; ++i) {
    const Response spike = Row("spike=200:2");
    ASSERT_TRUE(spike.peak_rise);
    EXPECT_NEAR(spike.peak_rise->mib(), 200, 3);
  }
}

TEST_F(AgentInContainerTest, ASpikeOfTheStartIsInReady) {
  Start({"--start-mib", "40", "--start-spike-mib", "300", "--start-spike-ms", "1"}, true);
  EXPECT_GE(recorder_.ready->peak_unreclaimable.mib(), 338);
  EXPECT_LE(recorder_.ready->peak_unreclaimable.mib(), 355);
}

TEST_F(AgentInContainerTest, APoolsRuntimeThatTheModelHasMappedIsNamed) {
  Start({"--map-file", std::string("/model/") + kPoolFile});
  EXPECT_EQ(recorder_.ready->thread_pools, std::vector<std::string>{"libgomp"});
}

}  // namespace
}  // namespace mlprof::server
