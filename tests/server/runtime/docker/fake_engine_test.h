// The Docker runtime on a fake engine that makes, starts and removes one container as it should;
// a test says what else it does.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/runtime/docker/docker_runtime.h"
#include "tests/fakes/fake_docker.h"

namespace mlprof::server::docker {

inline const std::string kContainerId(64, 'c');
inline const std::string kContainer = "/containers/" + kContainerId;
inline const std::vector<fakes::FakeResponse> kNoResponse = {
    {200, "", fakes::FakeResponse::Way::kNever}};

inline Result<std::unique_ptr<AgentLink>> NoAgent(int, const Patience&) {
  return Fail(Internal("no agent comes"));
}

class FakeEngineTest : public ::testing::Test {
 protected:
  explicit FakeEngineTest(AdoptAgent adopt = &NoAgent) {
    char name[] = "/tmp/fake-engine.XXXXXX";
    folder_ = ::mkdtemp(name);
    DockerOptions options;
    options.agent_binary = "/bin/true";
    options.data_dir = folder_;
    options.instance_id = "installation";
    options.base_image = "base";
    UseOptions(std::move(options), std::move(adopt));
    docker_.On("POST /containers/create", 201, R"({"Id":")" + kContainerId + R"("})");
    docker_.On("POST " + kContainer, 204, "");
    docker_.On("GET " + kContainer + "/logs", 200, "");
    docker_.On("DELETE /containers/", 204, "");
    docker_.On("GET /info", 200, R"({"NCPU":2,"MemTotal":8000000000})");
    docker_.On("GET /images/", 404, R"({"message":"No such image"})");
    docker_.On("GET /images/base/json", 200, R"({"Id":"sha256:base"})");
  }
  ~FakeEngineTest() override { std::filesystem::remove_all(folder_); }

  void UseOptions(DockerOptions options, AdoptAgent adopt = &NoAgent) {
    context_ =
        std::make_shared<DockerContext>(std::move(options), docker_.socket(), std::move(adopt));
    context_->volumes.MountNoMore();
    runtime_ = std::make_unique<DockerRuntime>(context_);
  }

  Result<PreparedImage> PrepareEntryScript(
      std::stop_token stop = {}, Deadline deadline = Deadline::After(std::chrono::seconds(60))) {
    PrepareRequest request;
    request.config.service = EntryScriptConfig{};
    return runtime_->Prepare(
        request, [](std::string_view) {}, std::move(stop), deadline);
  }
  Result<std::unique_ptr<Target>> LaunchImage(std::stop_token stop = {}) {
    LaunchRequest request;
    request.container_name = "mlprof-p-1";
    request.image.image_id = "sha256:image";
    request.config.service = ImageConfig{};
    request.limits = {Cores(1.0), MiB(64)};
    return runtime_->Launch(request, std::move(stop), Deadline::After(std::chrono::seconds(60)));
  }

  /// Waits until the engine is asked for something that begins so; its place among all calls, -1
  /// where it never was.
  std::ptrdiff_t AwaitCall(const std::string& beginning, std::ptrdiff_t from = 0) {
    const Deadline soon = Deadline::After(std::chrono::seconds(10));
    while (!soon.Passed()) {
      const auto calls = docker_.Calls();
      const auto found =
          std::find_if(calls.begin() + std::min<std::ptrdiff_t>(from, std::ssize(calls)),
                       calls.end(), [&](const auto& call) { return call.starts_with(beginning); });
      if (found != calls.end()) return found - calls.begin();
      std::this_thread::yield();
    }
    ADD_FAILURE() << "never asked: " << beginning;
    return -1;
  }

  fakes::FakeDocker docker_;
  std::filesystem::path folder_;
  std::shared_ptr<DockerContext> context_;
  std::unique_ptr<DockerRuntime> runtime_;
};

}  // namespace mlprof::server::docker
