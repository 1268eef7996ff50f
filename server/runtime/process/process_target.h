// One model's process: made, started, connected, and ended with everything that was made for it.
// Thread-safe once launched.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "server/runtime/environment/secret_mask.h"
#include "server/runtime/process/model_plan.h"
#include "server/runtime/process/process_context.h"
#include "server/runtime/process/sandbox/sandbox_process.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::process {

class ProcessTarget final : public Target {
 public:
  /// Returns with the agent connected; on failure nothing is left behind.
  static Result<std::unique_ptr<Target>> Launch(const std::shared_ptr<ProcessContext>& context,
                                                const LaunchRequest& request, std::stop_token stop,
                                                Deadline deadline);
  ~ProcessTarget() override;

  const std::string& container_id() const override { return name_; }
  AgentLink& agent() override { return *agent_; }
  Result<HostFacts> Host(Deadline deadline) override;
  Result<HostLoad> ReadHostLoad() override;
  std::filesystem::path Root() const override { return sandbox_->Root(); }
  Status SetCpu(Cores cpu, Deadline deadline) override;
  Result<std::string> Logs(Bytes max, Deadline deadline) override;
  Result<ContainerExit> Inspect(Deadline deadline) override;
  Status Remove(Deadline deadline) override;

 private:
  ProcessTarget(std::shared_ptr<ProcessContext> context, std::string name);

  // The steps of Launch, in order.
  Status MakeFolders(const LaunchRequest& request);
  Status MakeCgroup(const Limits& limits);
  Status ChoosePort(const InferenceConfig& config);
  Status Start(const LaunchRequest& request);
  Status Connect(const Patience& patience);
  Error WithLogTail(const Error& error);

  const std::shared_ptr<ProcessContext> context_;
  const std::string name_;
  const Permissions permitted_;
  const environment::SecretMask secrets_;  // of this machine
  ModelPlaces places_;
  StartPlacement placement_;
  std::unique_ptr<ModelCgroup> cgroup_;  // null: measured by /proc, and not limited
  std::unique_ptr<SandboxProcess> sandbox_;
  UniqueFd link_;  // our end, until it is connected
  std::unique_ptr<AgentLink> agent_;
  std::atomic<bool> removed_ = false;
};

}  // namespace mlprof::server::process
