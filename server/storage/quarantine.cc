#include "server/storage/quarantine.h"

#include <algorithm>
#include <string_view>

#include "common/log/log.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSecondsLength = 19;  // of 2026-08-02T10:11:12

// Names sort as their times do.
std::string NameAt(Timestamp when) {
  std::string name = FormatTimestamp(when).substr(0, kSecondsLength);
  std::replace(name.begin(), name.end(), ':', '-');
  return name + "Z";
}

// As NameAt writes it, with a number behind it or not.
bool IsBatchName(std::string_view name) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd-dd-ddZ";
  if (name.size() < kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (kForm[i] == 'd' ? !digit : name[i] != kForm[i]) return false;
  }
  return true;
}

bool DiskIsShort(const fs::path& root, double free_share) {
  std::error_code error;
  const fs::space_info space = fs::space(root, error);
  return !error &&
         static_cast<double>(space.available) < free_share * static_cast<double>(space.capacity);
}

}  // namespace

Bytes SizeOfTree(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    return Bytes(static_cast<std::int64_t>(fs::file_size(path, error)));
  }
  Bytes size;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    const auto bytes = entry->file_size(gone);
    if (!gone) size += Bytes(static_cast<std::int64_t>(bytes));
  }
  return size;
}

Quarantine::Quarantine(const fs::path& data_directory) : root_(data_directory / "quarantine") {}

fs::path Quarantine::NewBatch(Timestamp now) const {
  const fs::path first = root_ / NameAt(now);
  fs::path batch = first;
  std::error_code error;
  for (int number = 2; fs::exists(batch, error); ++number) {
    batch = first.string() + "-" + std::to_string(number);
  }
  return batch;
}

Result<std::vector<fs::path>> Quarantine::OldestFirst() const {
  std::vector<fs::path> batches;
  std::error_code error;
  if (!fs::exists(root_, error)) return batches;
  for (fs::directory_iterator entry(root_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (IsBatchName(entry->path().filename().string())) batches.push_back(entry->path());
  }
  if (error) return Fail(FromErrno(error.value(), "listing " + root_.string()));
  std::sort(batches.begin(), batches.end());
  return batches;
}

Result<std::vector<fs::path>> Quarantine::Find(const std::string& sha256) const {
  const auto batches = OldestFirst();
  if (!batches) return batches;
  std::vector<fs::path> found;
  for (auto batch = batches->rbegin(); batch != batches->rend(); ++batch) {
    std::error_code error;
    fs::path file = *batch / "content" / sha256;
    if (fs::is_regular_file(file, error)) found.push_back(std::move(file));
  }
  return found;
}

Status Quarantine::Prune(Timestamp now, const QuarantineLimits& limits,
                         const std::function<Status(const fs::path& batch)>& remove) {
  MLPROF_LET(batches, OldestFirst());
  std::vector<Bytes> sizes;
  Bytes total;
  for (const fs::path& batch : batches) total += sizes.emplace_back(SizeOfTree(batch));
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const fs::path& batch = batches[i];
    const std::string name = batch.filename().string();
    const bool old = name < NameAt(now - limits.kept);
    const bool may_go = name < NameAt(now - limits.kept_at_least);
    const bool full = total > limits.size || DiskIsShort(root_, limits.free_share);
    if (!old && !(may_go && full)) break;  // the batches after it are younger
    MLPROF_TRY(remove(batch));
    LogInfo("quarantined content was removed",
            {{"folder", batch.string()},
             {"size_bytes", sizes[i].count()},
             {"why", old ? "kept long enough" : "space is short"}});
    total = total - sizes[i];
  }
  return {};
}

}  // namespace mlprof::server
