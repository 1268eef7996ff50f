#include "server/app/core_affinity.h"

#include <sched.h>

#include <fstream>
#include <string>
#include <thread>

#include "common/log/log.h"
#include "common/text/cpuset.h"

namespace mlprof::server {
namespace {

CoreSiblings ReadSiblings() {
  CoreSiblings siblings(std::thread::hardware_concurrency());
  for (std::size_t core = 0; core < siblings.size(); ++core) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                       "/topology/thread_siblings_list");
    std::string text;
    std::getline(file, text);
    siblings[core] = ParseCpuset(text);
  }
  return siblings;
}

}  // namespace

std::optional<CoreSplit> KeepOffTheModelsCores() {
  auto split = SplitCores(ReadSiblings());
  if (!split) return std::nullopt;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : split->replayer) CPU_SET(static_cast<std::size_t>(core), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    LogWarn("the controller could not be pinned to cores of its own");
    return std::nullopt;
  }
  return split;
}

}  // namespace mlprof::server
