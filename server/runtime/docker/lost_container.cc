#include "server/runtime/docker/lost_container.h"

#include <signal.h>

#include <fstream>
#include <set>
#include <system_error>

namespace mlprof::docker {

std::vector<std::filesystem::path> ProcessLists(const std::filesystem::path& root,
                                                const std::string& container_id) {
  std::vector<std::filesystem::path> lists;
  // A short or strange id could name somebody else's cgroup.
  if (container_id.size() != 64 ||
      container_id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return lists;
  }
  const std::vector<std::filesystem::path> trees = {root / "memory", root / "pids", root};
  const std::vector<std::string> places = {"docker/" + container_id,
                                           "system.slice/docker-" + container_id + ".scope"};
  for (const auto& tree : trees) {
    for (const auto& place : places) {
      std::error_code ignored;
      const auto list = tree / place / "cgroup.procs";
      if (std::filesystem::exists(list, ignored)) lists.push_back(list);
    }
  }
  return lists;
}

int KillThroughCgroup(const std::string& container_id, const std::filesystem::path& root) {
  // More than one round: what forked between listing and killing is found by the next.
  constexpr int kRounds = 5;
  std::set<pid_t> killed;
  for (int round = 0; round < kRounds; ++round) {
    bool found = false;
    for (const auto& path : ProcessLists(root, container_id)) {
      std::ifstream list(path);
      for (pid_t pid = 0; list >> pid;) {
        if (pid <= 1) continue;
        found = true;
        if (::kill(pid, SIGKILL) == 0) killed.insert(pid);
      }
    }
    if (!found) break;
  }
  return static_cast<int>(killed.size());
}

}  // namespace mlprof::docker
