#include "client/cli/surroundings.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <system_error>

#include "client/cli/watch/interrupts.h"

namespace mlprof::client::cli {
namespace {

int TerminalColumns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

}  // namespace

Surroundings RealSurroundings() {
  const bool err_is_terminal = isatty(STDERR_FILENO) != 0;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return Surroundings{
      .out = std::cout,
      .err = std::cerr,
      .out_is_terminal = isatty(STDOUT_FILENO) != 0,
      .err_is_terminal = err_is_terminal,
      .can_ask = err_is_terminal && isatty(STDIN_FILENO) != 0,
      .confirms = [] { return ReplyOnStdin({}); },
      .columns = TerminalColumns(),
      .environment = [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        if (value == nullptr || *value == '\0') return std::nullopt;
        return value;
      },
      .connect = ConnectTo,
      .program_folder = program.parent_path(),
  };
}

}  // namespace mlprof::client::cli
