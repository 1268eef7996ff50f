// The Docker runtime on a real engine, with the real agent. Images are busybox and a shell script.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <tuple>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/remove_container.h"
#include "server/runtime/model_start.h"
#include "tests/fakes/heard_agent.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kSocket = "/var/run/docker.sock";
constexpr const char* kRepository = "mlprof-test-runtime";

using fakes::HeardAgent;

fs::path MakeFolder() {
  char name[] = "/tmp/mlprof-runtime-test.XXXXXX";
  return ::mkdtemp(name);
}

// A root file system of busybox: httpd with a CGI that answers at /cgi-bin/score.
Status ImportImage(docker::DockerEngine& engine, const fs::path& folder) {
  const fs::path root = folder / "root";
  const std::string script = R"script(set -e
mkdir -p "$1/bin" "$1/www/cgi-bin" "$1/data" "$1/etc"
cp "$(command -v busybox)" "$1/bin/busybox"
for a in sh httpd cat id ls dd touch hostname sleep echo tail grep; do
  ln -sf busybox "$1/bin/$a"
done
echo hello > "$1/www/index.html"; echo kept > "$1/data/content"
printf '#!/bin/sh\necho "Content-Type: text/plain"; echo; cat\n' > "$1/www/cgi-bin/score"
chmod 755 "$1/www/cgi-bin/score"
tar -C "$1" -cf "$2" .)script";
  ::setenv("MLPROF_TEST_SCRIPT", script.c_str(), 1);
  const std::string run =
      "sh -c \"$MLPROF_TEST_SCRIPT\" make " + root.string() + " " + (folder / "image.tar").string();
  if (std::system(run.c_str()) != 0) return Fail(Internal("busybox-static is needed"));
  return engine.ImportImage(folder / "image.tar", kRepository, "1", Deadline::After(60s));
}

class DockerRuntimeTest : public ::testing::Test {
 protected:
  DockerRuntimeTest() : engine_(kSocket, {}), folder_(MakeFolder()) {}
  static void TearDownTestSuite() {
    const std::string image = std::string(kRepository) + ":1";
    std::ignore = std::system(("docker rmi -f " + image + " > /dev/null 2>&1").c_str());
  }
  ~DockerRuntimeTest() override {
    if (runtime_) runtime_->RemoveOrphans(Deadline::After(30s));
    fs::remove_all(folder_);
  }

  void SetUp() override {
    const Status ping = engine_.Ping(Deadline::After(5s));
    if (!ping) GTEST_SKIP() << ping.error().message();
    if (!engine_.InspectImage(std::string(kRepository) + ":1", Deadline::After(5s))) {
      const Status imported = ImportImage(engine_, folder_);
      ASSERT_TRUE(imported) << imported.error().message();
    }
    runtime_ = Make("first");
  }

  static std::string Instance(const std::string& name) {
    return "test" + std::to_string(::getpid()) + name;
  }

  std::unique_ptr<Runtime> Make(const std::string& instance) {
    DockerOptions options;
    options.docker_host = std::string("unix://") + kSocket;
    options.agent_binary = fs::path(MLPROF_BINARY_DIR) / "bin/mlprof-agent";
    options.data_dir = folder_ / "data";
    options.registries = {"localhost:1"};  // where nothing listens
    options.instance_id = Instance(instance);
    options.scratch_limit = MiB(20);
    auto runtime = MakeDockerRuntime(options);
    EXPECT_TRUE(runtime) << runtime.error().message();
    return std::move(runtime).value();
  }

  InferenceConfig Config() {
    ImageConfig image;
    image.image = std::string(kRepository) + ":1";
    image.command = std::vector<std::string>{"/bin/httpd", "-f", "-p", "8080", "-h", "/www"};
    image.scoring_path = "/cgi-bin/score";
    InferenceConfig config;
    config.service = image;
    return config;
  }

  LaunchRequest Request(const InferenceConfig& config, const std::string& name = "a") {
    auto image = runtime_->Prepare(
        {config, {}}, [](std::string_view) {}, {}, Deadline::After(60s));
    EXPECT_TRUE(image) << image.error().message();
    LaunchRequest request;
    request.container_name = "mlprof-test-" + std::to_string(::getpid()) + "-" + name;
    request.profile_id = "p";
    request.image = std::move(image).value();
    request.config = config;
    request.limits = {Cores(1.0), MiB(64)};
    return request;
  }

  std::unique_ptr<Target> Launch(const LaunchRequest& request) {
    const auto began = std::chrono::steady_clock::now();
    auto target = runtime_->Launch(request, {}, Deadline::After(60s));
    EXPECT_TRUE(target) << target.error().message();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::cout << "launched in " << took.count() << " ms\n";
    return target ? *std::move(target) : nullptr;
  }

  /// Runs a shell command as the model and gives its output.
  std::string OutputOf(const std::string& command, InferenceConfig config,
                       const std::string& name = "a") {
    std::get<ImageConfig>(config.service).command =
        std::vector<std::string>{"/bin/sh", "-c", command};
    const LaunchRequest request = Request(config, name);
    const auto target = Launch(request);
    if (!target) return "not launched";
    HeardAgent heard;
    target->agent().Listen(&heard);
    target->agent().Start(StartFor(request.image, request.config));
    EXPECT_TRUE(heard.AwaitEvent(agent_protocol::ProcessEvent::Kind::kExited));
    target->agent().Listen(nullptr);
    return target->Logs(KiB(64), Deadline::After(10s)).value_or("no log");
  }

  docker::DockerEngine engine_;
  const fs::path folder_;
  std::unique_ptr<Runtime> runtime_;
};

TEST_F(DockerRuntimeTest, TellsWhatTheHostHas) {
  EXPECT_TRUE(runtime_->Check(Deadline::After(10s)));
  const auto facts = runtime_->Host(Deadline::After(10s));
  ASSERT_TRUE(facts);
  EXPECT_GT(facts->cores, 0);
  EXPECT_GT(facts->memory, MiB(100));
  EXPECT_FALSE(facts->cpu_model.empty());
}

TEST_F(DockerRuntimeTest, LaunchesServesChangesItsLimitsAndRemoves) {
  const LaunchRequest request = Request(Config());
  const auto target = Launch(request);
  ASSERT_NE(target, nullptr);
  HeardAgent heard;
  target->agent().Listen(&heard);
  target->agent().Start(StartFor(request.image, request.config));
  ASSERT_TRUE(heard.AwaitReady());
  target->agent().SendRow({1, false, "one row"});
  ASSERT_TRUE(heard.AwaitResponses(1));
  EXPECT_EQ(heard.responses().front().http_status, 200);
  EXPECT_EQ(heard.responses().front().body_bytes, 7u);
  EXPECT_TRUE(target->SetCpu(Cores(0.3), Deadline::After(10s)));
  const Status raised = target->RaiseMemory(GiB(1), Deadline::After(10s));
  EXPECT_TRUE(raised) << raised.error().message();
  const auto exit = target->Inspect(Deadline::After(10s));
  ASSERT_TRUE(exit);
  EXPECT_TRUE(exit->running);
  target->agent().Listen(nullptr);
  EXPECT_TRUE(target->Remove(Deadline::After(20s)));
  EXPECT_TRUE(target->Remove(Deadline::After(20s)));
  EXPECT_FALSE(engine_.InspectContainer(target->container_id(), Deadline::After(5s)));
  EXPECT_TRUE(fs::is_empty(folder_ / "data/scratch"));
  EXPECT_TRUE(fs::is_empty(folder_ / "data/run"));
}

TEST_F(DockerRuntimeTest, GivesTheModelNoRightsAndNoNetwork) {
  InferenceConfig config = Config();
  config.writable_paths = {"/data", "/var/cache/x"};
  const std::string output = OutputOf(
      "id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status; cat /proc/net/dev | tail -n +3;"
      "touch /x || echo read-only; touch /tmp/x $HOME/x /var/cache/x/y && echo writable;"
      "cat /data/content; echo more >> /data/content && cat /data/content;"
      "grep \"$(hostname)\" /etc/hosts; ls /.mlprof",
      config);
  EXPECT_NE(output.find("65534\n"), std::string::npos) << output;
  EXPECT_NE(output.find("CapEff:\t0000000000000000"), std::string::npos) << output;
  EXPECT_NE(output.find("NoNewPrivs:\t1"), std::string::npos) << output;
  EXPECT_EQ(output.find("eth0"), std::string::npos) << output;
  EXPECT_NE(output.find("read-only"), std::string::npos) << output;
  EXPECT_NE(output.find("writable"), std::string::npos) << output;
  EXPECT_NE(output.find("kept\nkept\nmore"), std::string::npos) << output;
  EXPECT_NE(output.find("127.0.0.1"), std::string::npos) << output;
}

// Its writes fail, or it is ended where this machine mounts no file systems of their own.
TEST_F(DockerRuntimeTest, BoundsAModelThatFillsTheDiskAndSaysSo) {
  InferenceConfig config = Config();
  std::get<ImageConfig>(config.service).command = std::vector<std::string>{
      "/bin/sh", "-c", "dd if=/dev/zero of=/tmp/full bs=1000000 count=40; sleep 60"};
  const LaunchRequest request = Request(config);
  const auto target = Launch(request);
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->MetDiskBound({}), std::nullopt);
  HeardAgent heard;
  target->agent().Listen(&heard);
  target->agent().Start(StartFor(request.image, request.config));
  const Deadline deadline = Deadline::After(20s);
  while (!target->MetDiskBound({}) && !deadline.Passed()) std::this_thread::sleep_for(20ms);
  const auto met = target->MetDiskBound({});
  ASSERT_TRUE(met);
  EXPECT_EQ(met->place, DiskFull::Place::kScratch);
  EXPECT_EQ(met->bytes, MiB(20));
  std::cout << Clause(*met) << "\n";
  const auto exit = target->Inspect(Deadline::After(10s));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->error.find("writable folders") != std::string::npos, met->killed) << exit->error;
  target->agent().Listen(nullptr);
}

TEST_F(DockerRuntimeTest, HearsOfAnOomKill) {
  InferenceConfig config = Config();
  std::get<ImageConfig>(config.service).command = std::vector<std::string>{
      "/bin/sh", "-c", "dd if=/dev/zero of=/dev/null bs=200000000 count=1; sleep 1"};
  const LaunchRequest request = Request(config);
  const auto target = Launch(request);
  ASSERT_NE(target, nullptr);
  HeardAgent heard;
  target->agent().Listen(&heard);
  target->agent().Start(StartFor(request.image, request.config));
  EXPECT_TRUE(heard.AwaitEvent(agent_protocol::ProcessEvent::Kind::kOomKill));
  target->agent().Listen(nullptr);
}

TEST_F(DockerRuntimeTest, RemovesItsOwnOrphansOnly) {
  const auto other = Make("other");
  const auto create = [&](const std::string& name, const std::string& instance) {
    const Json spec = {{"Image", std::string(kRepository) + ":1"},
                       {"Cmd", {"/bin/sleep", "60"}},
                       {"Labels", {{"mlprof.instance", instance}}}};
    return engine_.CreateContainer("mlprof-test-" + std::to_string(::getpid()) + name, spec,
                                   Deadline::After(10s));
  };
  const std::string prefix = "test" + std::to_string(::getpid());
  const auto mine = create("-orphan", prefix + "first");
  const auto others = create("-others", prefix + "other");
  ASSERT_TRUE(mine && others);
  const auto target = Launch(Request(Config()));
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(runtime_->RemoveOrphans(Deadline::After(20s)).value_or(-1), 1);
  EXPECT_FALSE(engine_.InspectContainer(*mine, Deadline::After(5s)));
  EXPECT_TRUE(engine_.InspectContainer(*others, Deadline::After(5s)));
  EXPECT_TRUE(target->Inspect(Deadline::After(5s))->running);
  EXPECT_EQ(other->RemoveOrphans(Deadline::After(20s)).value_or(-1), 1);
}

TEST_F(DockerRuntimeTest, ReplacesALeftoverOfTheSameName) {
  const LaunchRequest request = Request(Config(), "leftover");
  const Json spec = {
      {"Image", std::string(kRepository) + ":1"},
      {"Cmd", {"/bin/sleep", "60"}},
      {"Labels", {{"mlprof.instance", "test" + std::to_string(::getpid()) + "first"}}}};
  ASSERT_TRUE(engine_.CreateContainer(request.container_name, spec, Deadline::After(10s)));
  EXPECT_NE(Launch(request), nullptr);
}

TEST_F(DockerRuntimeTest, KillsALostContainerWithoutTheEngineBelowAnyParent) {
  // A name that both cgroup drivers take.
  const std::string parent = "mlprof-test-" + std::to_string(::getpid()) + ".slice";
  for (const std::string& chosen : {std::string(), parent}) {
    const Json spec = {{"Image", std::string(kRepository) + ":1"},
                       {"Cmd", {"/bin/sh", "-c", "sleep 1000 & exec sleep 1000"}},
                       {"Labels", {{"mlprof.instance", Instance("first")}}},
                       {"HostConfig", {{"CgroupParent", chosen}, {"NetworkMode", "none"}}}};
    const std::string name = "mlprof-test-" + std::to_string(::getpid()) + "-lost";
    const auto id = engine_.CreateContainer(name, spec, Deadline::After(10s));
    ASSERT_TRUE(id) << id.error().message();
    const Status started = engine_.StartContainer(*id, Deadline::After(20s));
    ASSERT_TRUE(started) << started.error().message();
    EXPECT_GE(docker::KillThroughCgroup(*id), 1);
    EXPECT_EQ(engine_.Wait(*id, Deadline::After(20s)).value_or(0), 137);
    EXPECT_TRUE(docker::ProcessesOf(*id).empty());
    EXPECT_TRUE(engine_.Remove(*id, Deadline::After(20s)));
  }
  std::error_code ignored;
  fs::remove("/sys/fs/cgroup/" + parent, ignored);
  for (const auto& controller : fs::directory_iterator("/sys/fs/cgroup", ignored)) {
    fs::remove(controller.path() / parent, ignored);
  }
}

TEST_F(DockerRuntimeTest, SaysWhyAnImageCannotBeHad) {
  InferenceConfig config = Config();
  std::get<ImageConfig>(config.service).image = "localhost:1/nothing/here:1";
  const auto image = runtime_->Prepare(
      {config, {}}, [](std::string_view) {}, {}, Deadline::After(60s));
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message().find("docker load"), std::string::npos)
      << image.error().message();
}

}  // namespace
}  // namespace mlprof::server
