#include "agent/sampling/as_process.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>

#include <string>

namespace mlprof::agent {
namespace {

class FileIds {
 public:
  // The group before the user: a process that has become another user may not change its group.
  FileIds(uid_t uid, gid_t gid) : old_gid_(::setfsgid(gid)), old_uid_(::setfsuid(uid)) {}
  FileIds(const FileIds&) = delete;
  FileIds& operator=(const FileIds&) = delete;
  ~FileIds() {
    ::setfsuid(static_cast<uid_t>(old_uid_));
    ::setfsgid(static_cast<gid_t>(old_gid_));
  }

 private:
  int old_gid_;
  int old_uid_;
};

}  // namespace

UniqueFd OpenAsProcess(pid_t pid, const char* file, int flags) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const std::string path = folder + "/" + file;
  // /proc/PID always belongs to the process's effective ids, even where its files belong to root.
  struct stat owner {};
  if (::stat(folder.c_str(), &owner) != 0) return UniqueFd();
  {
    const FileIds as(owner.st_uid, owner.st_gid);
    UniqueFd opened(::open(path.c_str(), flags | O_CLOEXEC));
    if (opened) return opened;
  }
  // The files of a process that is not dumpable belong to root.
  return UniqueFd(::open(path.c_str(), flags | O_CLOEXEC));
}

}  // namespace mlprof::agent
