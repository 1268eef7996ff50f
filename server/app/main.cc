#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "common/log/log.h"
#include "common/os/descriptor_limit.h"
#include "server/app/controller.h"
#include "server/app/lifetime.h"
#include "server/app/options.h"
#include "server/app/stop_limit.h"

namespace {

// Of a stop, from the signal to the end of the process; ten are promised.
constexpr std::chrono::seconds kStopLimit{8};

std::optional<std::string> FromEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

mlprof::LogLevel LevelOf(const std::string& name) {
  if (name == "debug") return mlprof::LogLevel::kDebug;
  if (name == "warn") return mlprof::LogLevel::kWarn;
  if (name == "error") return mlprof::LogLevel::kError;
  return mlprof::LogLevel::kInfo;
}

int Complain(const mlprof::Error& error, int status) {
  std::fprintf(stderr, "mlprof-server: %s\n", error.message().c_str());
  return status;
}

// Twice what the connections that a server takes can need: more would only be a larger table.
constexpr std::size_t kMostDescriptors = 65'536;

int Serve(const mlprof::ServerOptions& options) {
  mlprof::SetLogLevel(LevelOf(options.log_level));
  mlprof::BlockStopSignals();
  mlprof::RaiseDescriptorLimit(kMostDescriptors);
  auto controller = mlprof::Controller::Start(options);
  if (!controller) return Complain(controller.error(), 1);
  for (const std::string& url : (*controller)->urls()) {
    std::printf("listening on %s\n", url.c_str());
  }
  std::fflush(stdout);
  mlprof::WaitForEnd(options.exit_when_unused);
  mlprof::StopLimit limit(kStopLimit);
  (*controller)->Stop(limit);
  controller->reset();
  return 0;
}

int Run(const std::vector<std::string>& arguments) {
  const auto options = mlprof::ParseServerOptions(arguments, FromEnvironment);
  if (!options) return Complain(options.error(), 2);
  if (options->help) {
    std::fputs(mlprof::ServerHelp().c_str(), stdout);
    return 0;
  }
  if (options->version) {
    std::puts("mlprof-server " MLPROF_VERSION);
    return 0;
  }
  return Serve(*options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mlprof-server: %s\n", error.what());
    return 1;
  }
}
