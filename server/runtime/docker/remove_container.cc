#include "server/runtime/docker/remove_container.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <system_error>
#include <thread>

#include "common/log/log.h"
#include "common/os/read_text.h"
#include "common/os/unique_fd.h"
#include "server/runtime/docker/container_spec.h"

namespace mlprof::server::docker {
namespace {

constexpr std::chrono::seconds kScratchMoment{2};
constexpr std::chrono::seconds kLateCreate{2};
constexpr std::chrono::milliseconds kLookForLateCreate{50};
static_assert(kLateCreate < kRemovalAfterStop);  // what comes late is to be removed, too

// The engine goes on with a create that its caller has given up: there is a container only then.
bool StaysUncreated(DockerContext& context, const std::string& name, Deadline deadline) {
  for (;;) {
    const Result<std::string> found = FindOwn(context, name, deadline);
    if (found || found.error().code() != ErrorCode::kNotFound) return false;
    if (deadline.Left() <= kLookForLateCreate) return true;
    std::this_thread::sleep_for(kLookForLateCreate);
  }
}

Status RemoveOwn(DockerContext& context, const std::string& name, const std::string& id,
                 const Patience& patience) {
  if (!id.empty()) return context.engine.Remove(id, patience);
  const Result<std::string> found = FindOwn(context, name, patience);
  if (found) return context.engine.Remove(*found, patience);
  const ErrorCode code = found.error().code();
  if (code == ErrorCode::kNotFound || code == ErrorCode::kConflict) return {};
  return Fail(found.error());
}

}  // namespace

Result<std::string> FindOwn(DockerContext& context, const std::string& name,
                            const Patience& patience) {
  const Result<ContainerState> found = context.engine.InspectContainer(name, patience);
  if (!found) return Fail(found.error());
  const auto label = found->labels.find(kInstanceLabel);
  if (label != found->labels.end() && label->second == context.options.instance_id) {
    return found->id;
  }
  return Fail(Conflict("a container named " + name +
                       " exists that is not of this installation; remove or rename it (`docker "
                       "rename`)"));
}

Status RemoveOrLose(DockerContext& context, const std::string& name, const std::string& id,
                    const Patience& patience) {
  Status removed = RemoveOwn(context, name, id, patience);
  if (!removed && patience.stop.stop_requested()) {
    const Deadline end = Deadline::After(kRemovalAfterStop);
    if (id.empty() && StaysUncreated(context, name, end.AtMost(kLateCreate))) return {};
    removed = RemoveOwn(context, name, id, end);
  }
  if (removed) return {};
  // Its processes must not go on taking CPU and memory, whatever is wrong with the engine: they are
  // killed without it. The container itself carries our label, and is removed as an orphan later.
  LogError("lost a container: Docker does not remove it",
           {{"container", name},
            {"id", id},
            {"killedProcesses", KillThroughCgroup(id)},
            {"why", removed.error().message()}});
  return removed;
}

Patience ForScratch(Deadline deadline, const std::stop_token& stop) {
  const Deadline moment = Deadline::After(kScratchMoment);
  if (stop.stop_requested() || deadline.when() < moment.when()) return moment;
  return {deadline, stop};
}

namespace {

// Anything shorter could be part of another cgroup's path, and its processes would be killed.
bool IsWholeId(const std::string& id) {
  return id.size() == 64 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string CgroupOf(const std::filesystem::path& process) { return ReadText(process / "cgroup"); }

// Kills by a descriptor of the process, opened before its cgroup is looked at: by its number,
// another process might have it by then.
bool Kill(pid_t pid, const std::string& container_id) {
  // Through syscall(): glibc 2.36's header declares pidfd_open and pidfd_send_signal for C alone.
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return false;
  if (!IsInContainer(CgroupOf("/proc/" + std::to_string(pid)), container_id)) return false;
  return ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0;
}

}  // namespace

bool IsInContainer(std::string_view cgroup_text, const std::string& container_id) {
  if (!IsWholeId(container_id)) return false;
  const std::string scope = "docker-" + container_id + ".scope";
  // A line is "number:controllers:/path". Names of cgroups hold no line end, so both '/' and the
  // line end separate them.
  for (std::size_t begin = 0; begin < cgroup_text.size();) {
    const std::size_t end = std::min(cgroup_text.find_first_of("/\n", begin), cgroup_text.size());
    const std::string_view name = cgroup_text.substr(begin, end - begin);
    if (name == container_id || name == scope) return true;
    begin = end + 1;
  }
  return false;
}

std::vector<pid_t> ProcessesOf(const std::string& container_id, const std::filesystem::path& proc) {
  std::vector<pid_t> processes;
  if (!IsWholeId(container_id)) return processes;
  std::error_code error;
  std::filesystem::directory_iterator entry(proc, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    pid_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc() || end != name.data() + name.size() || pid <= 1) continue;
    if (IsInContainer(CgroupOf(entry->path()), container_id)) processes.push_back(pid);
  }
  return processes;
}

int KillThroughCgroup(const std::string& container_id) {
  // More than one round: what forked between finding and killing is found by the next.
  constexpr int kRounds = 5;
  std::set<pid_t> killed;
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t before = killed.size();
    for (const pid_t pid : ProcessesOf(container_id)) {
      if (Kill(pid, container_id)) killed.insert(pid);
    }
    if (killed.size() == before) break;
  }
  return static_cast<int>(killed.size());
}

}  // namespace mlprof::server::docker
