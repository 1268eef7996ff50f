// What a sandbox is made of: a process in namespaces of its own, with a root put together from
// folders of the machine. The server writes the plan, `mlprof-agent --sandbox` carries it out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"

namespace mlprof {

/// One thing that the new root holds; paths are absolute. In order: a folder before what is in it.
struct SandboxStep {
  enum class Kind {
    kFolder,    // `inside`, empty
    kReadOnly,  // the machine's file or folder `here`, with the mounts below it
    kWritable,  // likewise, to be written to
    kLayer,     // the machine's folder to be written to, `here` the options of overlayfs
    kDevice,    // the machine's device file `here`
    kMemory,    // a file system in memory, `here` its options ("size=64m,mode=1777")
    kLink,      // a symbolic link to `here`
    kProc,      // what /proc is: of the sandbox's own processes
    kSealed,    // what was made at `inside` is read-only from now on
  };
  Kind kind;
  std::string here;
  std::string inside;
  bool operator==(const SandboxStep&) const = default;
};

struct SandboxPlan {
  /// Folders of cgroups that the process joins. They are removed with what is left in them.
  std::vector<std::string> cgroups;
  /// An empty folder of the machine at which the new root is mounted; "": no namespaces at all, and
  /// the machine's own file system.
  std::string root;
  std::vector<SandboxStep> steps;
  bool user_namespace = false;       // without being root; the process keeps its user
  bool network = false;              // the machine's; otherwise a loopback interface of its own
  std::string host_name;             // "": the machine's
  std::vector<int> cores;            // it may run on these; empty: wherever the server may
  std::optional<int> run_as;         // uid and gid, for what is no agent; absent: who started it
  std::vector<std::string> command;  // begins with a path
  std::vector<std::string> environment;  // "NAME=value"
  bool operator==(const SandboxPlan&) const = default;
};

// Descriptors of the program that carries out a plan.
inline constexpr int kSandboxPlanFd = 0;    // a pipe: the plan, then held open while it is to live
inline constexpr int kSandboxLinkFd = 3;    // handed on to the command; an agent's connection
inline constexpr int kSandboxReportFd = 4;  // a pipe: SandboxReport lines

/// The plan as bytes: fields that end in NUL, so that no path needs quoting.
std::string EncodeSandboxPlan(const SandboxPlan& plan);

/// Whether `bytes` hold a whole plan.
bool IsWholeSandboxPlan(std::string_view bytes);
Result<SandboxPlan> DecodeSandboxPlan(std::string_view bytes);

/// How the command ended, as the program tells it: "exit 0\n" or "signal 9\n".
struct SandboxEnd {
  int exit_code = 0;
  int signal = 0;
  bool operator==(const SandboxEnd&) const = default;
};
std::string EncodeSandboxEnd(const SandboxEnd& end);
/// nullopt while the line is not whole.
std::optional<SandboxEnd> DecodeSandboxEnd(std::string_view text);

}  // namespace mlprof
