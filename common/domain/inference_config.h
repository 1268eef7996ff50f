// How a model is served: an entry script (init/run) in an environment, or any image speaking HTTP.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/units/bytes.h"

namespace mlprof {

struct EntryScriptConfig {
  std::string entry_script;  // path inside source_directory (else inside the source)
  std::string source_id;     // "sha256:…" over REST; empty in a file the CLI still has to upload
  std::string source_directory;  // folder inside the source; "" is its root
  std::string environment_name;
  std::string base_image;  // "" is mlprof's own
  std::vector<std::string> pip_packages;
  std::vector<std::string> conda_packages;  // "python=3.8", "numpy": told of, not installed
  std::string conda_dependencies_file;      // paths inside the source; "" is none
  std::string requirements_file;
  bool operator==(const EntryScriptConfig&) const = default;
};

struct ImageConfig {
  std::string image;
  std::optional<std::vector<std::string>> command;  // replaces ENTRYPOINT and drops CMD
  std::optional<std::vector<std::string>> args;     // replaces CMD
  int port = 8080;
  std::string scoring_path = "/score";
  std::string method = "POST";
  std::string content_type = "application/json";
  bool operator==(const ImageConfig&) const = default;
};

enum class NetworkMode { kNone, kBridge };

struct InferenceConfig {
  std::variant<EntryScriptConfig, ImageConfig> service;

  // What both forms share.
  std::map<std::string, std::string> headers;  // sent with every row
  std::string readiness_path;                  // "": any response at / counts
  std::string model_mount_path;                // "": AZUREML_MODEL_DIR's place
  std::map<std::string, std::string> environment_variables;
  /// At which the model's own profiler server listens (jax.profiler.start_server): device traces
  /// are taken of it after the measuring. Not the port of the rows.
  std::optional<int> profiler_port;
  NetworkMode network = NetworkMode::kNone;
  bool run_as_root = false;
  std::vector<std::string> writable_paths;
  Bytes shm_size = MiB(64);
  std::chrono::seconds start_timeout{300};
  std::chrono::seconds request_timeout{60};

  bool IsEntryScript() const { return std::holds_alternative<EntryScriptConfig>(service); }
  bool operator==(const InferenceConfig&) const = default;
};

/// HOME in every scoring container, writable like /tmp.
inline constexpr const char* kModelHome = "/home/mlprof";
/// Port and route at which azureml-inference-server-http serves an entry script.
inline constexpr int kEntryScriptPort = 5001;
inline constexpr const char* kEntryScriptPath = "/score";

}  // namespace mlprof
