#include "server/app/options.h"

#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "common/json/json.h"
#include "server/app/retention_options.h"
#include "server/app/server_address.h"

namespace mlprof::server {
namespace {

// One option under its three names; what it does with its value. A flag has no value name.
struct Option {
  const char* flag;      // --data-dir
  const char* variable;  // MLPROF_DATA_DIR
  const char* key;       // dataDir in the config file
  const char* value_name;
  const char* help;
  Status (*set)(ServerOptions& options, const std::string& value);
  bool repeated = false;  // each flag adds to those before it, separated by commas
  bool IsFlag() const { return *value_name == '\0'; }
};

Error Wrong(const std::string& message) { return InvalidArgument(message); }

Status SetListen(ServerOptions& options, const std::string& value) {
  MLPROF_LET(listen, ParseListenAddress("--listen", value));
  options.listen = std::move(listen);
  return {};
}

Status SetTlsListen(ServerOptions& options, const std::string& value) {
  MLPROF_LET(listen, ParseListenAddress("--tls-listen", value));
  options.tls_listen = std::move(listen);
  return {};
}

Status SetPublicUrl(ServerOptions& options, const std::string& value) {
  MLPROF_LET(url, ParsePublicUrl(value));
  options.public_url = std::move(url);
  return {};
}

Status SetRuntime(ServerOptions& options, const std::string& value) {
  if (value == "docker" || value == "process") {
    options.runtime = value;
    return {};
  }
  if (value == "kubernetes") {
    return Fail(ErrorCode::kNotAvailable, "--runtime " + value + " comes with a later version");
  }
  return Fail(Wrong("--runtime wants docker, kubernetes or process, not " + value));
}

Status SetBudget(ServerOptions& options, const std::string& value) {
  constexpr int kLongest = 86400;
  int seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || seconds < 1 || seconds > kLongest) {
    return Fail(Wrong("--budget-seconds wants a whole number from 1 to 86400, not " + value));
  }
  options.budget = std::chrono::seconds(seconds);
  return {};
}

Status SetScratchLimit(ServerOptions& options, const std::string& value) {
  constexpr double kLeast = 0.0625;  // a file system needs some room for itself
  constexpr double kMost = 16384;
  double gib = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), gib);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || !(gib >= kLeast && gib <= kMost)) {
    return Fail(Wrong("--scratch-limit-gb wants a number from 0.0625 to 16384, not " + value));
  }
  options.scratch_limit = BytesFromGib(gib);
  return {};
}

Status SetIsolation(ServerOptions& options, const std::string& value) {
  if (value != "default" && value != "gvisor") {
    return Fail(Wrong("--isolation wants default or gvisor, not " + value));
  }
  options.isolation = value;
  return {};
}

Status SetRegistries(ServerOptions& options, const std::string& value) {
  options.registries.clear();
  std::istringstream parts(value);
  for (std::string registry; std::getline(parts, registry, ',');) {
    const bool plain = !registry.empty() && registry.find_first_of("/@ \t") == std::string::npos;
    if (!plain) {
      return Fail(Wrong("--registries wants HOST or HOST:PORT, separated by commas, not " + value));
    }
    options.registries.push_back(registry);
  }
  return {};
}

Status SetCaptureAddresses(ServerOptions& options, const std::string& value) {
  options.capture_addresses.clear();
  std::istringstream parts(value);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto address = profiler::ParseProfilerAddress(part);
    if (!address) return Fail(address.error().WithContext("--capture-address"));
    options.capture_addresses.push_back(*address);
  }
  return {};
}

Status SetDeviceAccess(ServerOptions& options, const std::string& value) {
  if (value != "request" && value != "cdi" && value != "environment") {
    return Fail(Wrong("--device-access wants request, cdi or environment, not " + value));
  }
  options.device_access = value;
  return {};
}

Status SetLogLevel(ServerOptions& options, const std::string& value) {
  if (value != "debug" && value != "info" && value != "warn" && value != "error") {
    return Fail(Wrong("--log-level wants debug, info, warn or error, not " + value));
  }
  options.log_level = value;
  return {};
}

template <auto Member>
Status Set(ServerOptions& options, const std::string& value) {
  options.*Member = value;
  return {};
}

// A flag alone means "true"; a variable or the config file may say "false" too.
template <auto Member>
Status SetFlag(ServerOptions& options, const std::string& value) {
  const bool yes = value == "true" || value == "1";
  if (!yes && value != "false" && value != "0") {
    return Fail(Wrong("a flag wants true or false, not " + value));
  }
  options.*Member = yes;
  return {};
}

constexpr auto kOptions = std::to_array<Option>({
    {"--listen", "MLPROF_LISTEN", "listen", "ADDRESS:PORT",
     "where to answer; port 0 takes a free one (default 127.0.0.1:8080)", &SetListen},
    {"--data-dir", "MLPROF_DATA_DIR", "dataDir", "DIR",
     "where everything is kept (default $XDG_DATA_HOME/mlprof)", &Set<&ServerOptions::data_dir>},
    {"--repair-indexes", "MLPROF_REPAIR_INDEXES", "repairIndexes", "",
     "make damaged indexes of the database anew, where nothing else is damaged",
     &SetFlag<&ServerOptions::repair_indexes>},
    {"--runtime", "MLPROF_RUNTIME", "runtime", "docker|process",
     "where models run: in containers, or as processes of this machine (default docker)",
     &SetRuntime},
    {"--docker-host", "MLPROF_DOCKER_HOST", "dockerHost", "unix:///PATH",
     "the engine's socket (default $DOCKER_HOST, then /var/run/docker.sock)",
     &Set<&ServerOptions::docker_host>},
    {"--base-image", "MLPROF_BASE_IMAGE", "baseImage", "IMAGE",
     "the base of entry scripts that name none (default: mlprof's own, made when missing)",
     &Set<&ServerOptions::base_image>},
    {"--registries", "MLPROF_REGISTRIES", "registries", "HOST[:PORT],…",
     "registries that images may be pulled from beside the engine's own; * for all",
     &SetRegistries},
    {"--isolation", "MLPROF_ISOLATION", "isolation", "default|gvisor", "the container runtime",
     &SetIsolation},
    {"--device-access", "MLPROF_DEVICE_ACCESS", "deviceAccess", "request|cdi|environment",
     "how the engine is told to give a container GPUs (default request, as `docker run --gpus`)",
     &SetDeviceAccess},
    {"--capture-address", "MLPROF_CAPTURE_ADDRESS", "captureAddress", "HOST:PORT[,…]",
     "a profiler server that POST /captures may take traces from; may be repeated (default: none)",
     &SetCaptureAddresses, true},
    {"--agent", "MLPROF_AGENT", "agent", "FILE",
     "the static mlprof-agent (default: beside mlprof-server)", &Set<&ServerOptions::agent>},
    {"--scratch-limit-gb", "MLPROF_SCRATCH_LIMIT_GB", "scratchLimitGb", "N",
     "what one container may write to /tmp, HOME and writablePaths (default 10)", &SetScratchLimit},
    {"--keep-root-read-only", "MLPROF_KEEP_ROOT_READ_ONLY", "keepRootReadOnly", "",
     "fail a model that writes elsewhere, rather than give it a copy of that folder to write to",
     &SetFlag<&ServerOptions::keep_root_read_only>},
    {"--keep-images-days", "MLPROF_KEEP_IMAGES_DAYS", "keepImagesDays", "N",
     "how long an environment's image is kept after its last use (default 30; 0: for ever)",
     &SetImagesAge},
    {"--keep-images-gb", "MLPROF_KEEP_IMAGES_GB", "keepImagesGb", "N",
     "how much they may take together; the oldest go (default 20; 0: any)", &SetImagesSize},
    {"--keep-samples-days", "MLPROF_KEEP_SAMPLES_DAYS", "keepSamplesDays", "N",
     "when the samples of a finished profile are thinned (default 90; 0: never)", &SetSamplesAge},
    {"--keep-samples-gb", "MLPROF_KEEP_SAMPLES_GB", "keepSamplesGb", "N",
     "how much samples may take together; the oldest go (default 10; 0: any)", &SetSamplesSize},
    {"--budget-seconds", "MLPROF_BUDGET_SECONDS", "budgetSeconds", "N",
     "the budget of profiles that ask for none, as Azure ML's clients do (default 300)",
     &SetBudget},
    {"--log-level", "MLPROF_LOG_LEVEL", "logLevel", "LEVEL", "debug, info, warn or error",
     &SetLogLevel},
    {"--exit-when-unused", "MLPROF_EXIT_WHEN_UNUSED", "exitWhenUnused", "FILE",
     "end when nobody holds a shared lock on FILE any more",
     &Set<&ServerOptions::exit_when_unused>},
    {"--leave-profiles", "MLPROF_LEAVE_PROFILES", "leaveProfiles", "",
     "run no profile, and leave unfinished ones as they are",
     &SetFlag<&ServerOptions::leave_profiles>},
    {"--check-runtime", "MLPROF_CHECK_RUNTIME", "checkRuntime", "",
     "try out what --runtime process may do here, print it as JSON, and end",
     &SetFlag<&ServerOptions::check_runtime>},
    {"--tls-listen", "MLPROF_TLS_LISTEN", "tlsListen", "ADDRESS:PORT",
     "where to answer over TLS as well", &SetTlsListen},
    {"--tls-cert", "MLPROF_TLS_CERT", "tlsCert", "FILE",
     "PEM certificate chain (default: one of the server's own CA, DIR/tls/ca.pem)",
     &Set<&ServerOptions::tls_cert>},
    {"--tls-key", "MLPROF_TLS_KEY", "tlsKey", "FILE", "its PEM key", &Set<&ServerOptions::tls_key>},
    {"--public-url", "MLPROF_PUBLIC_URL", "publicUrl", "URL",
     "how other machines call this server: https://HOST[:PORT]", &SetPublicUrl},
    {"--require-token", "MLPROF_REQUIRE_TOKEN", "requireToken", "",
     "callers on this machine need a token too", &SetFlag<&ServerOptions::require_token>},
    {"--token-file", "MLPROF_TOKEN_FILE", "tokenFile", "FILE",
     "one more token that may write, readable by its owner alone",
     &Set<&ServerOptions::token_file>},
    {"--allow-without-token", "MLPROF_ALLOW_WITHOUT_TOKEN", "allowWithoutToken", "",
     "let in whoever reaches this server, beyond loopback too",
     &SetFlag<&ServerOptions::allow_without_token>},
    {"--allow-plain-http", "MLPROF_ALLOW_PLAIN_HTTP", "allowPlainHttp", "",
     "listen beyond loopback without TLS, tokens readable on the way",
     &SetFlag<&ServerOptions::allow_plain_http>},
});

const Option* ByFlag(std::string_view flag) {
  for (const Option& option : kOptions) {
    if (flag == option.flag) return &option;
  }
  return nullptr;
}

const Option* ByKey(std::string_view key) {
  for (const Option& option : kOptions) {
    if (key == option.key) return &option;
  }
  return nullptr;
}

struct CommandLine {
  std::map<const Option*, std::string> values;
  std::optional<std::string> config_file;
  bool help = false;
  bool version = false;
};

Result<CommandLine> ReadArguments(const std::vector<std::string>& arguments) {
  CommandLine line;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      line.help = true;
      continue;
    }
    if (argument == "--version") {
      line.version = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const Option* option = ByFlag(flag);
    if (option == nullptr && flag != "--config") {
      return Fail(Wrong("unknown option " + flag + "; see mlprof-server --help"));
    }
    if (option != nullptr && option->IsFlag() && equals == std::string::npos) {
      line.values[option] = "true";
      continue;
    }
    if (equals == std::string::npos && i + 1 == arguments.size()) {
      return Fail(Wrong(flag + " wants a value"));
    }
    const std::string value =
        equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1);
    if (option == nullptr) {
      line.config_file = value;
    } else if (option->repeated && line.values.contains(option)) {
      line.values[option] += "," + value;
    } else {
      line.values[option] = value;
    }
  }
  return line;
}

Result<Json> ReadConfig(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    return Fail(Wrong("the config file cannot be read: " + path));
  auto json = ParseJson(text.str());
  if (!json) return Fail(json.error().WithContext(path));
  if (!json->is_object()) return Fail(Wrong(path + ": not a JSON object"));
  for (const auto& [key, value] : json->items()) {
    const Option* option = ByKey(key);
    if (option == nullptr || !(option->IsFlag() ? value.is_boolean() : value.is_string())) {
      return Fail(Wrong(path + ": \"" + key + "\" is unknown or not " +
                        (option && option->IsFlag() ? "true or false" : "a string")));
    }
  }
  return json;
}

std::string TextOf(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  return value.get<std::string>();
}

// What no option can see by itself.
Status CheckTogether(const ServerOptions& options) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return Fail(Wrong("--tls-cert and --tls-key go together"));
  }
  if (!options.tls_cert.empty() && !options.tls_listen) {
    return Fail(Wrong("--tls-cert needs --tls-listen ADDRESS:PORT"));
  }
  if (options.require_token && options.allow_without_token) {
    return Fail(Wrong("--require-token and --allow-without-token exclude each other"));
  }
  return {};
}

std::filesystem::path DefaultDataDir(const GetEnvironment& environment) {
  if (const auto data = environment("XDG_DATA_HOME"); data && !data->empty()) {
    return std::filesystem::path(*data) / "mlprof";
  }
  return std::filesystem::path(environment("HOME").value_or("/root")) / ".local/share/mlprof";
}

}  // namespace

Result<ServerOptions> ParseServerOptions(const std::vector<std::string>& arguments,
                                         const GetEnvironment& environment) {
  MLPROF_LET(line, ReadArguments(arguments));
  ServerOptions options;
  options.help = line.help;
  options.version = line.version;
  options.data_dir = DefaultDataDir(environment);
  options.docker_host = environment("DOCKER_HOST").value_or("");
  if (!line.config_file) line.config_file = environment("MLPROF_CONFIG");
  Json config = Json::object();
  if (line.config_file) {
    MLPROF_LET(read, ReadConfig(*line.config_file));
    config = std::move(read);
  }
  for (const Option& option : kOptions) {
    std::optional<std::string> value = environment(option.variable);
    if (!value && config.contains(option.key)) value = TextOf(config[option.key]);
    if (const auto given = line.values.find(&option); given != line.values.end()) {
      value = given->second;
    }
    if (value) MLPROF_TRY(option.set(options, *value));
  }
  MLPROF_TRY(CheckTogether(options));
  return options;
}

std::string ServerHelp() {
  std::string help =
      "mlprof-server: profiles models in containers and answers how many cores and how much "
      "memory\n"
      "to request. Every option is also a variable (MLPROF_…) and a key of the config file.\n\n";
  for (const Option& option : kOptions) {
    const std::string name =
        std::string(option.flag) + (option.IsFlag() ? "" : " ") + option.value_name;
    help += "  " + name + "\n        " + option.help + " [" + option.variable + "]\n";
  }
  help += "  --config FILE\n        a JSON object with keys such as \"dataDir\" [MLPROF_CONFIG]\n";
  return help;
}

}  // namespace mlprof::server
