#include "client/include/mlprof/pack_tar.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "common/hash/sha256.h"
#include "common/tar/tar_writer.h"
#include "common/text/ascii.h"

namespace mlprof::client {
namespace {

namespace fs = std::filesystem;

struct Found {
  TarEntry entry;
  fs::path file;
  bool folder = false;
};

bool IsLeftOut(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "__pycache__" || name == ".git" || name == ".venv";
}

// What stands at `path`, links to files followed.
Result<Found> Look(const fs::path& path, const std::string& name) {
  std::error_code error;
  const bool link = fs::is_symlink(path, error);
  const fs::file_status status = fs::status(path, error);
  if (link && !fs::is_regular_file(status)) {
    return Fail(InvalidArgument(path.string() +
                                " is a link to something that is no file; links to folders and "
                                "broken links are not packed"));
  }
  if (fs::is_directory(status)) return Found{{name, false, 0}, path, true};
  if (!fs::is_regular_file(status)) {
    return Fail(InvalidArgument(path.string() + (fs::exists(status)
                                                     ? " is neither a file nor a folder"
                                                     : " does not exist or cannot be read")));
  }
  const auto size = static_cast<std::int64_t>(fs::file_size(path, error));
  if (error) return Fail(InvalidArgument(path.string() + ": " + error.message()));
  const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return Found{{name, executable, size}, path};
}

// Adds `path` and all below it; `name` is its place in the tar, "" for the root itself.
Status Collect(const fs::path& path, const std::string& name, std::vector<Found>& out) {
  MLPROF_LET(found, Look(path, name));
  const bool folder = found.folder;
  if (!name.empty()) out.push_back(std::move(found));
  if (!folder) return {};
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (IsLeftOut(it->path())) continue;
    const std::string part = it->path().filename().string();
    MLPROF_TRY(Collect(it->path(), name.empty() ? part : name + "/" + part, out));
  }
  if (error) return Fail(InvalidArgument("cannot read " + path.string() + ": " + error.message()));
  return {};
}

class FileContent : public ByteSource {
 public:
  explicit FileContent(const fs::path& file) : file_(file), in_(file, std::ios::binary) {}

  // It is asked for no more than the file had: its end comes too early.
  Result<std::size_t> Read(std::span<char> buffer) override {
    in_.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (in_.gcount() > 0) return static_cast<std::size_t>(in_.gcount());
    return Fail(InvalidArgument(file_.string() + " cannot be read to its end"));
  }

 private:
  const fs::path& file_;
  std::ifstream in_;
};

// A file that is hashed as it is written.
class HashedFile {
 public:
  explicit HashedFile(const fs::path& file) : out_(file, std::ios::binary | std::ios::trunc) {}

  void Write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    sha256_.Add(bytes);
    size_ += static_cast<std::int64_t>(bytes.size());
  }

  Result<PackedTar> Finish(const fs::path& file) {
    out_.close();
    if (!out_) return Fail(Unavailable("cannot write " + file.string() + " (is the disk full?)"));
    return PackedTar{sha256_.Hex(), Bytes(size_)};
  }

 private:
  std::ofstream out_;
  Sha256 sha256_;
  std::int64_t size_ = 0;
};

Status Add(const Found& found, TarWriter& tar) {
  if (found.folder) return tar.AddFolder(found.entry.path);
  FileContent content(found.file);
  return tar.AddFile(found.entry, content);
}

fs::path Resolved(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::canonical(path, error);
  return error ? path.lexically_normal() : whole;
}

std::string LastPart(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  if (normal.has_filename() && normal.filename() != "." && normal.filename() != "..") {
    return normal.filename().string();
  }
  if (normal.filename() == "." || normal.filename() == "..") {
    return Resolved(path).filename().string();
  }
  return normal.parent_path().filename().string();  // it ended in a slash
}

}  // namespace

Result<PackedTar> PackTar(const fs::path& what, TarLayout layout, const fs::path& tar,
                          const std::vector<ExtraFile>& extra) {
  std::vector<Found> found;
  std::error_code error;
  // A link given on the command line is meant as what it points to, folders too.
  const fs::path real = fs::canonical(what, error);
  if (error) return Fail(InvalidArgument(what.string() + ": " + error.message()));
  const bool at_root = layout == TarLayout::kContentAtRoot && fs::is_directory(real, error);
  MLPROF_TRY(Collect(real, at_root ? "" : LastPart(what), found));
  for (const ExtraFile& file : extra) {
    MLPROF_LET(looked, Look(file.file, file.path));
    found.push_back(std::move(looked));
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.entry.path < b.entry.path; });
  HashedFile file(tar);
  TarWriter writer(LongPaths::kSplit, [&](std::string_view bytes) {
    file.Write(bytes);
    return Status();
  });
  for (const Found& one : found) MLPROF_TRY(Add(one, writer));
  MLPROF_TRY(writer.Finish());
  return file.Finish(tar);
}

std::string BaseName(const fs::path& path) {
  std::string name = LastPart(path);
  for (char& c : name) {
    if (!IsAlnum(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  const auto first = std::find_if(name.begin(), name.end(), IsAlnum);
  name.erase(name.begin(), first);
  return name.empty() ? "unnamed" : name.substr(0, 255);
}

}  // namespace mlprof::client
