// What the agent is told to start: the model's command and environment, as the interface defines
// them for both forms of an inference config. Pure; the same on every engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/agent_protocol/messages.h"
#include "common/domain/inference_config.h"
#include "server/runtime/runtime.h"

namespace mlprof::server {

/// Places inside every scoring container.
inline constexpr const char* kSourceMount = "/var/azureml-app/source";
inline constexpr const char* kModelsMount = "/var/azureml-app/azureml-models";  // …/NAME/VERSION
inline constexpr const char* kEnvironmentFolder = "/opt/mlprof/venv";
/// The agent, inside every scoring container.
inline constexpr const char* kAgentProgram = "/.mlprof/mlprof-agent";
/// Resolves inside the container, with and without a network.
inline constexpr const char* kModelHostName = "mlprof";

/// The variable by which a container is told its GPUs, and its value for these.
inline constexpr const char* kVisibleDevices = "NVIDIA_VISIBLE_DEVICES";
std::string VisibleDevices(const std::vector<std::string>& uuids);

using Environment = std::map<std::string, std::string>;

/// The folder of the entry script's sources inside the container.
std::string SourceFolder(const EntryScriptConfig& config);

/// The model's argv. As in Kubernetes: `command` replaces ENTRYPOINT and drops CMD, `args` replaces
/// CMD. For an entry script: azureml-inference-server-http.
std::vector<std::string> ModelCommand(const PreparedImage& image, const InferenceConfig& config);

/// The model's whole environment. Later wins: what makes a read-only root bearable (caches and HOME
/// in writable places), the image's, `added` (AZUREML_MODEL_DIR), the config's.
Environment ModelEnvironment(const PreparedImage& image, const InferenceConfig& config,
                             const Environment& added = {});

/// Everything the agent needs to know.
agent_protocol::Start StartFor(const PreparedImage& image, const InferenceConfig& config,
                               const Environment& added = {});

}  // namespace mlprof::server
