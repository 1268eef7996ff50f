#include "server/azure/datasets/dataset_texts.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "server/azure/blobs/upload_file.h"
#include "server/azure/datasets/delimited_rows.h"
#include "server/storage/content_store.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMost = 8;
constexpr std::size_t kWriteBuffer = 1 << 20;

// How much that was.
Result<Bytes> WriteText(const RowSource& rows, int file) {
  Bytes size;
  std::string row;
  std::string lines;
  for (std::uint32_t i = 0; i < rows.count(); ++i) {
    MLPROF_TRY(rows.Read(i, row));
    MLPROF_TRY(AppendLine(lines, row, i));
    if (lines.size() < kWriteBuffer && i + 1 < rows.count()) continue;
    MLPROF_TRY(WriteAll(file, lines));
    size += Bytes(std::ssize(lines));
    lines.clear();
  }
  return size;
}

}  // namespace

Result<SpooledBody> DatasetTexts::Get(const std::string& rows_sha256, const OpenRows& open_rows) {
  if (auto known = Find(rows_sha256)) return *std::move(known);
  const std::lock_guard one_at_a_time(making_);
  if (auto known = Find(rows_sha256)) return *std::move(known);
  auto text = Make(open_rows);
  if (!text) return text;
  const std::lock_guard lock(mutex_);
  newest_first_.push_front({rows_sha256, *text});
  if (newest_first_.size() > kMost) newest_first_.pop_back();
  return text;
}

std::optional<SpooledBody> DatasetTexts::Find(const std::string& rows_sha256) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(newest_first_.begin(), newest_first_.end(),
                   [&](const Kept& kept) { return kept.rows_sha256 == rows_sha256; });
  if (known == newest_first_.end()) return std::nullopt;
  std::rotate(newest_first_.begin(), known, known + 1);
  return newest_first_.front().text;
}

Result<SpooledBody> DatasetTexts::Make(const OpenRows& open_rows) {
  MLPROF_LET(rows, open_rows());
  const std::filesystem::path path = content_.NewIncomingPath();
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return Fail(FromErrno(errno, "creating " + path.string()));
  SpooledBody text = AsUpload(path);
  MLPROF_LET(size, WriteText(*rows, file.get()));
  text.size = size;
  return text;
}

}  // namespace mlprof::server
