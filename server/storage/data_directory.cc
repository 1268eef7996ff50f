#include "server/storage/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "common/time/deadline.h"
#include "server/storage/connection.h"
#include "server/storage/durable_file.h"
#include "server/storage/instance_record.h"
#include "server/storage/integrity_check.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::milliseconds kLockPause{50};

std::string ReadPid(int lock) {
  std::array<char, 32> text{};
  const ssize_t size = pread(lock, text.data(), text.size(), 0);
  std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  return pid.empty() ? "unknown" : pid;
}

bool Lock(int lock, const Deadline& deadline) {
  while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || deadline.Passed()) return false;
    std::this_thread::sleep_for(kLockPause);
  }
  return true;
}

Status TakeLock(int lock, const std::filesystem::path& directory, const Deadline& deadline) {
  if (!Lock(lock, deadline)) {
    if (errno != EWOULDBLOCK) return Fail(FromErrno(errno, "locking " + directory.string()));
    return Fail(Unavailable("the data directory " + directory.string() +
                            " is in use by another mlprof-server (pid " + ReadPid(lock) +
                            "); stop it, or give this one another --data-dir"));
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock, 0) != 0 ||
      pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return Fail(FromErrno(errno, "writing " + (directory / "lock").string()));
  }
  return {};
}

// What may lie in a folder before a server has ever used it: what the command line puts there, and
// what a file system of its own begins with.
bool IsNobodys(const std::string& name) {
  for (const char* harmless : {"lock", "users.lock", "start.lock", "server.token", "server.log",
                               "server.json", "lost+found"}) {
    if (name == harmless) return true;
  }
  return name.starts_with(kInstanceFile);  // a crash left its copy
}

// Version 0.1 did not mark its data directories.
bool IsUnmarkedDataDirectory(const std::filesystem::path& directory) {
  constexpr std::string_view kHeader = "SQLite format 3";
  std::error_code error;
  if (!std::filesystem::is_directory(directory / "content" / "sha256", error)) return false;
  if (!std::filesystem::exists(directory / "lock", error)) return false;
  std::ifstream database(directory / "mlprof.db", std::ios::binary);
  std::string header(kHeader.size(), '\0');
  database.read(header.data(), static_cast<std::streamsize>(header.size()));
  return database && header == kHeader;
}

// Nothing is touched in a folder that somebody else filled: a slip in --data-dir would have a
// server empty his incoming/ and close him out.
Status CheckIsOurs(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::exists(directory, error)) return {};
  if (std::filesystem::exists(directory / kInstanceFile, error)) return {};
  std::filesystem::directory_iterator entry(directory, error);
  if (error) return Fail(FromErrno(error.value(), "reading " + directory.string()));
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (IsNobodys(name)) continue;
    if (IsUnmarkedDataDirectory(directory)) return {};
    return Fail(InvalidArgument("the folder " + directory.string() +
                                " is no data directory of mlprof and not empty: it holds " + name +
                                "; give --data-dir a new or an empty folder"));
  }
  return {};
}

Status Mark(const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory / kInstanceFile, error)) return {};
  return WriteInstanceRecord(directory, {});
}

}  // namespace

Result<DataDirectory> DataDirectory::Open(const std::filesystem::path& directory,
                                          std::chrono::milliseconds patience) {
  umask(077);
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(directory, error).lexically_normal();
  MLPROF_TRY(CheckIsOurs(path));
  std::filesystem::create_directories(path, error);
  if (error) return Fail(FromErrno(error.value(), "creating the data directory " + path.string()));
  if (chmod(path.c_str(), 0700) != 0) {
    return Fail(FromErrno(errno, "making the data directory " + path.string() + " private"));
  }
  // Close-on-exec: a child that kept it would hold the directory after this process has gone.
  FileDescriptor lock(
      open((path / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) return Fail(FromErrno(errno, "opening " + (path / "lock").string()));
  MLPROF_TRY(TakeLock(lock.get(), path, Deadline::After(patience)));
  MLPROF_TRY(Mark(path));
  return DataDirectory(path, lock.Release());
}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

namespace {

namespace fs = std::filesystem;

bool HoldsContent(const fs::path& directory) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory / "content", error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) return true;
  }
  return false;
}

}  // namespace

Status RefuseLostDatabase(const DataDirectory& directory) {
  const fs::path file = directory.DatabaseFile();
  if (!IsEmptyOrMissing(file)) return {};
  // SQLite would remove a -wal whose database is empty, and with it perhaps the only copy.
  const bool has_wal = !IsEmptyOrMissing(file.string() + "-wal");
  if (!has_wal && !HoldsContent(directory.path())) return {};
  return Fail(Internal("the database " + file.string() +
                       " is missing or empty, but the data directory holds what was stored with "
                       "it. Nothing was changed. " +
                       RestoreAdvice(file) + " To begin anew, use another --data-dir."));
}

}  // namespace mlprof::server
