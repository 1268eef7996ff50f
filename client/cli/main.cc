#include <csignal>
#include <cstdio>
#include <exception>

#include "client/cli/cli.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return mlprof::client::cli::Run({argv + 1, argv + argc},
                                    mlprof::client::cli::RealSurroundings());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mlprof: internal fault: %s\n", error.what());
    return 1;
  }
}
