#include "agent/sandbox/root.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/os/unique_fd.h"

namespace mlprof::agent {
namespace {

using Kind = SandboxStep::Kind;

// Only folders, links and mount points lie in it.
constexpr const char* kRootOptions = "size=4m,mode=755";

Status Failed(const std::string& what, const std::string& place) {
  return Fail(FromErrno(errno, what + " " + place));
}

Status MakeFolder(const std::string& place) {
  if (::mkdir(place.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return Failed("making", place);
}

Status MakeFile(const std::string& place) {
  const UniqueFd file(::open(place.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  return file ? Status() : Failed("making", place);
}

// All mounts below it too, which an ordinary remount leaves as they are. Since Linux 5.12.
Status Restrict(const std::string& place, std::uint64_t attributes) {
  mount_attr attr{};
  attr.attr_set = attributes;
  const auto flags = static_cast<unsigned>(AT_RECURSIVE);
  if (::syscall(SYS_mount_setattr, AT_FDCWD, place.c_str(), flags, &attr, sizeof attr) == 0) {
    return {};
  }
  return Failed("restricting", place);
}

Status Bind(const SandboxStep& step, const std::string& place, std::uint64_t attributes) {
  struct stat status {};
  if (::stat(step.here.c_str(), &status) != 0) return Failed("looking for", step.here);
  // A step may lie over an entry that an earlier one shows.
  struct stat there {};
  if (::stat(place.c_str(), &there) != 0) {
    MLPROF_TRY(S_ISDIR(status.st_mode) ? MakeFolder(place) : MakeFile(place));
  }
  if (::mount(step.here.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return Failed("mounting " + step.here + " at", step.inside);
  }
  return Restrict(place, attributes);
}

Status MountAt(const char* type, const SandboxStep& step, const std::string& place) {
  MLPROF_TRY(MakeFolder(place));
  const unsigned long flags = MS_NOSUID | MS_NODEV;
  if (::mount(type, place.c_str(), type, flags, step.here.c_str()) == 0) return {};
  return Failed("mounting " + std::string(type) + " at", step.inside);
}

// What the machine's root may change by files alone, without a capability: settings of the kernel
// and devices. An ordinary user may not, and has no need of it.
Status KeepSettings(const std::string& proc) {
  if (::geteuid() != 0) return {};
  for (const char* name : {"/sys", "/sysrq-trigger", "/irq", "/bus"}) {
    const std::string place = proc + name;
    if (::access(place.c_str(), F_OK) != 0) continue;
    if (::mount(place.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return Failed("mounting over", place);
    }
    MLPROF_TRY(Restrict(place, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  }
  return {};
}

Status MountProc(const SandboxStep& step, const std::string& place) {
  MLPROF_TRY(MountAt("proc", step, place));
  return KeepSettings(place);
}

Status Seal(const std::string& place) {
  const unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
  return ::mount(nullptr, place.c_str(), nullptr, flags, nullptr) == 0 ? Status()
                                                                       : Failed("sealing", place);
}

Status Make(const SandboxStep& step, const std::string& root) {
  const std::string place = root + step.inside;
  switch (step.kind) {
    case Kind::kFolder: return MakeFolder(place);
    case Kind::kReadOnly:
      return Bind(step, place, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    case Kind::kWritable: return Bind(step, place, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    case Kind::kDevice: return Bind(step, place, MOUNT_ATTR_NOSUID);
    case Kind::kLayer: return MountAt("overlay", step, place);
    case Kind::kMemory: return MountAt("tmpfs", step, place);
    case Kind::kProc: return MountProc(step, place);
    case Kind::kSealed: return Seal(place);
    case Kind::kLink:
      return ::symlink(step.here.c_str(), place.c_str()) == 0 ? Status() : Failed("linking", place);
  }
  return {};
}

// Both names at one place: the old root is then mounted over the new one, and let go of.
Status Pivot(const std::string& root) {
  if (::chdir(root.c_str()) != 0) return Failed("entering", root);
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return Failed("taking as root", root);
  if (::umount2(".", MNT_DETACH) != 0) return Failed("leaving", "the machine's root");
  return ::chdir("/") == 0 ? Status() : Failed("entering", "/");
}

}  // namespace

Status EnterRoot(const std::string& root, const std::vector<SandboxStep>& steps) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return Failed("parting from", "the machine's mounts");
  }
  if (::mount("tmpfs", root.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, kRootOptions) != 0) {
    return Failed("mounting a root at", root);
  }
  for (const SandboxStep& step : steps) MLPROF_TRY(Make(step, root));
  MLPROF_TRY(Pivot(root));
  return Seal("/");
}

}  // namespace mlprof::agent
