// The Runtime without an engine: models are processes of this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/runtime/process/process_context.h"
#include "server/runtime/runtime.h"

namespace mlprof::server::process {

class ProcessRuntime final : public Runtime {
 public:
  explicit ProcessRuntime(std::shared_ptr<ProcessContext> context) : context_(std::move(context)) {}

  std::string name() const override { return "process"; }
  RuntimeWords words() const override;
  bool HasFilesOfItsOwn() const override { return false; }
  Result<HostFacts> Host(Deadline deadline, std::stop_token stop) override;
  Status Check(Deadline deadline, std::stop_token stop) override;
  Result<PreparedImage> Prepare(const PrepareRequest& request, const PrepareOutput& output,
                                std::stop_token stop, Deadline deadline) override;
  Result<std::unique_ptr<Target>> Launch(const LaunchRequest& request, std::stop_token stop,
                                         Deadline deadline) override;
  Result<std::vector<KeptImage>> KeptImages(const std::vector<PrepareRequest>& waiting,
                                            Deadline deadline, std::stop_token stop) override;
  Status RemoveImage(const KeptImage& image, Deadline deadline, std::stop_token stop) override;
  Result<int> RemoveOrphans(Deadline deadline, std::stop_token stop) override;

 private:
  const std::shared_ptr<ProcessContext> context_;
};

/// What a process cannot be: kInvalidArgument with one sentence. Pure.
Status CheckServable(const InferenceConfig& config, Apart apart);

}  // namespace mlprof::server::process
