#include "tests/fakes/refused_processes.h"

#include <dlfcn.h>
#include <spawn.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<bool> refused = false;

}  // namespace

extern "C" int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const argv[],
                           char* const envp[]) {
  static const auto next =
      reinterpret_cast<decltype(&posix_spawn)>(dlsym(RTLD_NEXT, "posix_spawn"));
  if (refused) return EAGAIN;
  return next(pid, path, actions, attributes, argv, envp);
}

namespace mlprof::fakes {

RefusedProcesses::RefusedProcesses() { refused = true; }
RefusedProcesses::~RefusedProcesses() { refused = false; }

}  // namespace mlprof::fakes
