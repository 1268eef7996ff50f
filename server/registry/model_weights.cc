#include "server/registry/model_weights.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "common/os/unique_fd.h"
#include "common/time/deadline.h"
#include "server/analysis/model_files/read_weights.h"
#include "server/analysis/model_files/weights_summary.h"

namespace mlprof::server {
namespace {

constexpr int kMostEntriesOfTree = 100'000;
constexpr std::size_t kMostFiles = 1'000;

// Of all files together: what describes the tensors of the largest models is some MB.
constexpr std::uint64_t kMostReadOfTree = 1UL << 30U;
constexpr std::chrono::seconds kLongest{10};

struct ReadingBounds {
  std::uint64_t left = kMostReadOfTree;
  Deadline deadline = Deadline::After(kLongest);
  bool reached() const { return left == 0 || deadline.Passed(); }
};

class FileBytes : public RandomBytes {
 public:
  FileBytes(UniqueFd file, std::uint64_t size, ReadingBounds& bounds)
      : file_(std::move(file)), size_(size), bounds_(bounds) {}

  std::uint64_t size() const override { return size_; }
  Status Read(std::uint64_t offset, std::span<char> into) override {
    bounds_.left -= std::min<std::uint64_t>(bounds_.left, into.size());
    if (bounds_.reached()) return Fail(DeadlineExceeded("it takes more reading than is done"));
    while (!into.empty()) {
      const ssize_t got =
          ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Fail(FromErrno(errno, "cannot read the file"));
      if (got == 0) return Fail(Internal("the file became shorter"));
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  UniqueFd file_;
  std::uint64_t size_;
  ReadingBounds& bounds_;
};

std::optional<WeightsFile> ReadOne(const std::filesystem::path& path, const std::string& name,
                                   ReadingBounds& bounds) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    WeightsFile unread;
    unread.path = name;
    unread.problem = FromErrno(errno, "cannot open the file").message();
    return unread;
  }
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return std::nullopt;
  FileBytes bytes(std::move(file), static_cast<std::uint64_t>(status.st_size), bounds);
  return ReadWeights(bytes, name);
}

// A checkpoint's variables lie in files beside its index: "variables.data-00000-of-00001".
Bytes DataBeside(const std::filesystem::path& index) {
  const std::string stem = index.stem().string() + ".data-";
  Bytes data;
  std::error_code error;
  for (std::filesystem::directory_iterator it(index.parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    if (!it->path().filename().string().starts_with(stem)) continue;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(it->symlink_status(unknown))) continue;
    const auto size = it->file_size(unknown);
    if (!unknown) data += Bytes(static_cast<std::int64_t>(size));
  }
  return data;
}

void CheckData(const std::filesystem::path& path, WeightsFile& file) {
  if (file.format != WeightsFormat::kTensorFlow || !file.problem.empty()) return;
  const Bytes data = DataBeside(path);
  if (data < TotalBytes(file.by_type) + file.training.value_or(Bytes())) {
    file = {file.path, file.size, file.format};
    file.problem = "its variables are larger than the data beside it: are all files there?";
    return;
  }
  file.size += data;
}

}  // namespace

Result<ModelWeights> ReadModelWeights(const std::filesystem::path& root) {
  std::vector<WeightsFile> files;
  bool more = false;
  int entries = 0;
  ReadingBounds bounds;
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(root, error);
  for (; !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    more = ++entries > kMostEntriesOfTree || bounds.reached();
    if (more) break;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(it->symlink_status(unknown)) || unknown) continue;
    auto file = ReadOne(it->path(), it->path().lexically_relative(root).string(), bounds);
    if (!file) continue;
    more = files.size() == kMostFiles;
    if (more) break;
    CheckData(it->path(), *file);
    files.push_back(std::move(*file));
  }
  if (error) return Fail(FromErrno(error.value(), "cannot read the model's files"));
  ModelWeights weights = SummariseWeights(std::move(files));
  weights.more = more;
  return weights;
}

}  // namespace mlprof::server
