#include "agent/supervise/refused_path.h"

#include <fcntl.h>

#include <filesystem>
#include <system_error>

#include "agent/sampling/as_process.h"

namespace mlprof::agent {
namespace {

namespace fs = std::filesystem;

// "" where it cannot be known.
fs::path FolderOf(pid_t pid, int from) {
  const std::string link = from == AT_FDCWD ? "cwd" : "fd/" + std::to_string(from);
  const UniqueFd folder = OpenAsProcess(pid, link.c_str(), O_PATH);
  if (!folder) return {};
  std::error_code error;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(folder.get()), error);
}

// Links are resolved as far as this process may look; the rest of the path stays as it was given.
fs::path WithoutLinks(const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : resolved;
}

fs::path WithoutSlash(const fs::path& path) {
  return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

bool IsKept(const fs::path& path) {
  for (const char* kept : {"proc", "sys", "dev", ".mlprof"}) {
    if (path.begin() != path.end() && *std::next(path.begin()) == kept) return true;
  }
  return false;
}

fs::path NeededFolder(const fs::path& path, WriteKind kind) {
  std::error_code error;
  if (kind == WriteKind::kFile && fs::is_directory(path, error)) return path;
  // For a folder that was to be made too it is the parent that must be writable: were the folder
  // there already, making it would still fail.
  return path.parent_path();
}

// On a read-only file system the kernel also refuses to remove what does not exist (EROFS instead
// of ENOENT). That is no loss to the model, so it is not told.
bool IsMissing(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::not_found;
}

}  // namespace

std::optional<RefusedWrite> FindRefused(pid_t pid, int from, const std::string& given,
                                        WriteKind kind) {
  if (given.empty()) return std::nullopt;
  fs::path path = WithoutSlash(given);
  if (path.is_relative()) {
    const fs::path folder = FolderOf(pid, from);
    if (!folder.is_absolute()) return std::nullopt;
    path = folder / path;
  }
  path = kind == WriteKind::kFile ? WithoutLinks(path)
                                  : WithoutLinks(path.parent_path()) / path.filename();
  if (path == "/" || IsKept(path)) return std::nullopt;
  if (kind == WriteKind::kRemoval && IsMissing(path)) return std::nullopt;
  const fs::path folder = NeededFolder(path, kind);
  return RefusedWrite{path.string(), folder == "/" ? "" : folder.string()};
}

}  // namespace mlprof::agent
