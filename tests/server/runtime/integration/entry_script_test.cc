// An entry script on a real engine: its environment is made once, and it is served by
// azureml-inference-server-http under the rights every model has. Needs a package index.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "server/runtime/docker/base_image.h"
#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/model_start.h"
#include "tests/fakes/folder_input.h"
#include "tests/fakes/heard_agent.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string kBase = std::string(docker::kOwnBaseRepository) + ":" + docker::kOwnBaseTag;
constexpr const char* kScript = R"script(import os

def init():
    with open(os.environ["AZUREML_MODEL_DIR"] + "/weights") as file:
        global weights
        weights = file.read()

def run(raw_data):
    return {"weights": weights, "length": len(raw_data), "uid": os.getuid()}
)script";

class EntryScriptTest : public ::testing::Test {
 protected:
  EntryScriptTest() {
    char name[] = "/tmp/mlprof-entry-test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~EntryScriptTest() override {
    if (runtime_) runtime_->RemoveOrphans(Deadline::After(30s));
    fs::remove_all(folder_);
  }

  void SetUp() override {
    docker::DockerEngine engine("/var/run/docker.sock", {});
    const Status ping = engine.Ping(Deadline::After(5s));
    if (!ping) GTEST_SKIP() << ping.error().message();
    DockerOptions options;
    options.agent_binary = fs::path(MLPROF_BINARY_DIR) / "bin/mlprof-agent";
    options.data_dir = folder_ / "data";
    options.instance_id = "entrytest" + std::to_string(::getpid());
    fs::create_directories(folder_ / "data");
    fs::create_directories(folder_ / "source/src");
    fs::create_directories(folder_ / "model");
    std::ofstream(folder_ / "source/src/score.py") << kScript;
    std::ofstream(folder_ / "model/weights") << "w";
    // What a test makes is private where the umask says so; the model runs as nobody.
    fs::permissions(folder_ / "source/src/score.py", fs::perms(0644));
    fs::permissions(folder_ / "model/weights", fs::perms(0644));
    for (const char* name : {"source", "source/src", "model"}) {
      fs::permissions(folder_ / name, fs::perms(0755));
    }
    auto runtime = MakeDockerRuntime(options);
    ASSERT_TRUE(runtime) << runtime.error().message();
    runtime_ = *std::move(runtime);
  }

  static InferenceConfig Config(std::vector<std::string> packages) {
    EntryScriptConfig script;
    script.entry_script = "score.py";
    script.source_directory = "src";
    script.pip_packages = std::move(packages);
    InferenceConfig config;
    config.service = script;
    return config;
  }

  Result<PreparedImage> Prepare(const InferenceConfig& config, double* seconds) {
    const auto began = std::chrono::steady_clock::now();
    const auto print = [](std::string_view text) { std::cout << text << std::flush; };
    auto image = runtime_->Prepare({config, fakes::FolderReader(folder_ / "source")}, print, {},
                                   Deadline::After(240s));
    *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return image;
  }

  void ExpectServed(const PreparedImage& image, const InferenceConfig& config) {
    LaunchRequest request;
    request.container_name = "mlprof-entry-test-" + std::to_string(::getpid());
    request.profile_id = "p";
    request.image = image;
    request.config = config;
    request.limits = {Cores(1.0), MiB(512)};
    request.inputs = {fakes::FolderInput(folder_ / "source", kSourceMount),
                      fakes::FolderInput(folder_ / "model", std::string(kModelsMount) + "/m/1")};
    auto target = runtime_->Launch(request, {}, Deadline::After(60s));
    ASSERT_TRUE(target) << target.error().message();
    fakes::HeardAgent heard;
    (*target)->agent().Listen(&heard);
    const Environment added = {{"AZUREML_MODEL_DIR", std::string(kModelsMount) + "/m/1"}};
    (*target)->agent().Start(StartFor(image, config, added));
    const auto log = [&] { return (*target)->Logs(KiB(64), Deadline::After(5s)).value_or(""); };
    ASSERT_TRUE(heard.AwaitReady()) << log();
    (*target)->agent().SendRow({1, false, "12345"});
    ASSERT_TRUE(heard.AwaitResponses(1)) << log();
    const auto response = heard.responses().front();
    EXPECT_EQ(response.http_status, 200) << response.excerpt << log();
    EXPECT_EQ(response.body_bytes,
              std::string(R"({"weights": "w", "length": 5, "uid": 65534})").size());
    (*target)->agent().Listen(nullptr);
  }

  fs::path folder_;
  std::unique_ptr<Runtime> runtime_;
};

// A base image of a test's own: another one, changed by a shell command. It goes with the object,
// and so do the environments that were prepared on it.
class ChangedBase {
 public:
  ChangedBase(const std::string& from, std::string name, const std::string& command,
              const std::string& path = "")
      : name_("mlprof-test-" + std::move(name) + ":1") {
    const std::string container = "mlprof-test-base-" + std::to_string(::getpid());
    const std::string change =
        path.empty() ? "" : " --change 'ENV PATH=" + path + ":/usr/bin:/bin'";
    const std::string make = "docker run --name " + container + " --entrypoint sh " + from +
                             " -c '" + command + "' && docker commit" + change + " " + container +
                             " " + name_;
    made_ = Run(make);
    Run("docker rm -f " + container);
  }
  ~ChangedBase() {
    for (const std::string& image : prepared_) Run("docker rmi -f " + image);
    Run("docker rmi -f " + name_);
  }
  void Prepared(const std::string& image_id) { prepared_.push_back(image_id); }
  bool made() const { return made_; }
  const std::string& name() const { return name_; }

 private:
  static bool Run(const std::string& command) {
    return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
  }

  const std::string name_;
  bool made_ = false;
  std::vector<std::string> prepared_;
};

TEST_F(EntryScriptTest, IsServedFromAnEnvironmentMadeOnce) {
  const InferenceConfig config = Config({});
  double first = 0;
  double again = 0;
  auto image = Prepare(config, &first);
  ASSERT_TRUE(image) << image.error().message();
  ASSERT_TRUE(Prepare(config, &again));
  std::cout << "prepared in " << first << " s, found again in " << again << " s\n";
  EXPECT_LT(again, 5);
  ExpectServed(*image, config);
}

InferenceConfig On(const ChangedBase& base, InferenceConfig config) {
  std::get<EntryScriptConfig>(config.service).base_image = base.name();
  return config;
}

// As Azure's own images are: pip finds the server installed, and makes no program for it.
TEST_F(EntryScriptTest, IsServedWhereTheBaseImageHasTheServerAlready) {
  double seconds = 0;
  const auto plain = Prepare(Config({}), &seconds);
  ASSERT_TRUE(plain) << plain.error().message();
  ChangedBase base(plain->image_id, "has-server",
                   "cp -r /opt/mlprof/venv/lib/python3.11/site-packages/. "
                   "/usr/lib/python3/dist-packages/ && rm -rf /opt/mlprof");
  ASSERT_TRUE(base.made());
  const InferenceConfig config = On(base, Config({}));
  const auto image = Prepare(config, &seconds);
  ASSERT_TRUE(image) << image.error().message();
  base.Prepared(image->image_id);
  ExpectServed(*image, config);
}

// As conda has it: a Python of its own outside of the system's folders, first on the PATH.
TEST_F(EntryScriptTest, IsServedByAPythonOutsideOfTheSystemsFolders) {
  double seconds = 0;
  ASSERT_TRUE(Prepare(Config({}), &seconds));  // makes mlprof's own base image
  ChangedBase base(kBase, "other-python",
                   "mkdir -p /opt/conda/bin /opt/conda/lib && "
                   "cp /usr/bin/python3.11 /opt/conda/bin/python3.11 && "
                   "ln -s python3.11 /opt/conda/bin/python3 && "
                   "cp -r /usr/lib/python3.11 /opt/conda/lib/ && rm /usr/bin/python3*",
                   "/opt/conda/bin");
  ASSERT_TRUE(base.made());
  const InferenceConfig config = On(base, Config({}));
  const auto image = Prepare(config, &seconds);
  ASSERT_TRUE(image) << image.error().message();
  base.Prepared(image->image_id);
  ExpectServed(*image, config);
}

TEST_F(EntryScriptTest, SaysThatTheBaseImageHasNoPip) {
  double seconds = 0;
  ASSERT_TRUE(Prepare(Config({}), &seconds));
  const ChangedBase base(kBase, "no-pip", "rm -rf /usr/lib/python3.11/ensurepip");
  ASSERT_TRUE(base.made());
  const auto image = Prepare(On(base, Config({})), &seconds);
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message().find("neither pip nor ensurepip"), std::string::npos)
      << image.error().message();
}

TEST_F(EntryScriptTest, TellsWhyPackagesCannotBeInstalled) {
  double seconds = 0;
  const auto image = Prepare(Config({"mlprof-no-such-package==1"}), &seconds);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(image.error().message().find("mlprof-no-such-package"), std::string::npos)
      << image.error().message();
}

TEST_F(EntryScriptTest, TellsThatAnIndexOnLoopbackIsOutOfReach) {
  ::setenv("PIP_INDEX_URL", "http://reader:index-secret@127.0.0.1:9/simple", 1);
  ::setenv("PIP_RETRIES", "0", 1);
  double seconds = 0;
  const auto image = Prepare(Config({"mlprof-no-such-package==3"}), &seconds);
  ::unsetenv("PIP_INDEX_URL");
  ::unsetenv("PIP_RETRIES");
  ASSERT_FALSE(image);
  const std::string& message = image.error().message();
  EXPECT_NE(message.find("index-url http://127.0.0.1:9 is on this machine's loopback"),
            std::string::npos)
      << message;
  EXPECT_EQ(message.find("index-secret"), std::string::npos) << message;
}

TEST_F(EntryScriptTest, StopsWhenAsked) {
  std::stop_source stop;
  const auto output = [&](std::string_view text) {
    if (text.find("mlprof: python") != std::string_view::npos) stop.request_stop();
  };
  const auto image = runtime_->Prepare(
      {Config({"mlprof-no-such-package==2"}), fakes::FolderReader(folder_ / "source")}, output,
      stop.get_token(), Deadline::After(120s));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace mlprof::server
