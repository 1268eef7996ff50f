#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "common/log/log.h"
#include "common/os/descriptor_limit.h"
#include "server/app/controller.h"
#include "server/app/lifetime.h"
#include "server/app/options.h"
#include "server/app/runtime_check.h"

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

constexpr std::chrono::milliseconds kMostOfAWrite{500};

// A pipe with room takes the text at once. One that nobody reads is waited for no longer than this
// for each piece, so that a start that failed ends all the same.
void WriteWhereThereIsRoom(int fd, std::string_view text) {
  while (!text.empty()) {
    pollfd room{fd, POLLOUT, 0};
    if (poll(&room, 1, static_cast<int>(kMostOfAWrite.count())) != 1) return;
    const ssize_t n = write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

int Complain(const std::string& why, int status) {
  mlprof::FlushLog();
  WriteWhereThereIsRoom(STDERR_FILENO, "mlprof-server: " + why + "\n");
  return status;
}

// Twice what the connections that a server takes can need: more would only be a larger table.
constexpr std::size_t kMostDescriptors = 65'536;

int Serve(const mlprof::server::ServerOptions& options) {
  mlprof::SetLogLevel(LevelOf(options.log_level));
  mlprof::server::BlockStopSignals();
  mlprof::RaiseDescriptorLimit(kMostDescriptors);
  auto controller = mlprof::server::Controller::Start(options);
  if (!controller) return Complain(controller.error().message(), 1);
  for (const std::string& url : (*controller)->urls()) {
    std::printf("listening on %s\n", url.c_str());
  }
  std::fflush(stdout);
  mlprof::server::WaitForEnd(options.exit_when_unused);
  mlprof::server::StopLimit limit(kStopLimit);
  (*controller)->Stop(limit);
  controller->reset();
  return 0;
}

int Run(const std::vector<std::string>& arguments) {
  const auto options = mlprof::server::ParseServerOptions(arguments, FromEnvironment);
  if (!options) return Complain(options.error().message(), 2);
  if (options->help) {
    std::fputs(mlprof::server::ServerHelp().c_str(), stdout);
    return 0;
  }
  if (options->version) {
    std::puts("mlprof-server " MLPROF_VERSION);
    return 0;
  }
  if (options->check_runtime) {
    std::puts(mlprof::DumpJson(mlprof::server::CheckRuntime(*options)).c_str());
    return 0;
  }
  return Serve(*options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = Run({argv + 1, argv + argc});
    mlprof::FlushLog();
    return status;
  } catch (const std::exception& error) {
    return Complain(error.what(), 1);
  }
}
