#include "server/registry/packed_rows.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <string>

#include "common/hash/sha256.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kWriteBuffer = 1 << 20;
constexpr std::size_t kPageBytes = 64 << 20;

Error Damaged(const std::filesystem::path& file) {
  return Internal("the rows in " + file.string() + " are damaged; register the dataset again");
}

std::array<char, 4> LengthBytes(std::size_t length) {
  std::array<char, 4> bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

// Hands rows out from some offset on.
class RowFile {
 public:
  static Result<RowFile> Open(const std::filesystem::path& file) {
    FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat facts {};
    if (!fd || fstat(fd.get(), &facts) != 0)
      return Fail(FromErrno(errno, "opening " + file.string()));
    RowFile rows(file, std::move(fd), facts.st_size);
    std::string magic(kPackedMagic.size(), '\0');
    MLPROF_TRY(rows.ReadAt(0, magic));
    if (magic != kPackedMagic) return Fail(Damaged(file));
    rows.offset_ = static_cast<std::int64_t>(kPackedMagic.size());
    return rows;
  }

  std::int64_t offset() const { return offset_; }
  void SeekTo(std::int64_t offset) { offset_ = offset; }
  bool AtEnd() const { return offset_ == size_; }

  Result<std::string> Next() {
    std::string length(4, '\0');
    MLPROF_TRY(ReadAt(offset_, length));
    std::uint32_t bytes = 0;
    for (std::size_t i = 4; i-- > 0;) bytes = bytes << 8 | static_cast<unsigned char>(length[i]);
    if (bytes > size_ - offset_ - 4) return Fail(Damaged(file_));
    std::string row(bytes, '\0');
    MLPROF_TRY(ReadAt(offset_ + 4, row));
    offset_ += 4 + static_cast<std::int64_t>(bytes);
    return row;
  }

 private:
  RowFile(std::filesystem::path file, FileDescriptor fd, std::int64_t size)
      : file_(std::move(file)), fd_(std::move(fd)), size_(size) {}

  Status ReadAt(std::int64_t offset, std::string& into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const ssize_t got = pread(fd_.get(), into.data() + filled, into.size() - filled,
                                offset + static_cast<std::int64_t>(filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Fail(FromErrno(errno, "reading " + file_.string()));
      if (got == 0) return Fail(Damaged(file_));
      filled += static_cast<std::size_t>(got);
    }
    return {};
  }

  std::filesystem::path file_;
  FileDescriptor fd_;
  std::int64_t size_;
  std::int64_t offset_ = 0;
};

// OFFSET-CHECK. The check ties it to this file, so that no offset is taken that was never given
// out.
std::string CursorFor(const std::filesystem::path& file, std::int64_t offset) {
  const std::string number = std::to_string(offset);
  return number + "-" + Sha256Hex(file.filename().string() + ":" + number).substr(0, 8);
}

// The offset of the page's first row.
Result<std::int64_t> OffsetOf(const std::filesystem::path& file, const PageRequest& page) {
  if (page.cursor.empty()) return static_cast<std::int64_t>(kPackedMagic.size());
  std::int64_t offset = 0;
  std::from_chars(page.cursor.data(), page.cursor.data() + page.cursor.size(), offset);
  if (page.cursor != CursorFor(file, offset)) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the cursor is none this list has given",
                      {{"/cursor", "is none this list has given"}}));
  }
  return offset;
}

}  // namespace

Result<PackedRowWriter> PackedRowWriter::Create(const std::filesystem::path& file) {
  FileDescriptor fd(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Fail(FromErrno(errno, "creating " + file.string()));
  return PackedRowWriter(file, std::move(fd));
}

PackedRowWriter::PackedRowWriter(std::filesystem::path file, FileDescriptor fd)
    : file_(std::move(file)), fd_(std::move(fd)), buffer_(kPackedMagic) {}

Status PackedRowWriter::Add(std::string row) {
  const auto length = LengthBytes(row.size());
  buffer_.append(length.data(), length.size());
  buffer_ += row;
  if (buffer_.size() >= kWriteBuffer) return Flush();
  return {};
}

Status PackedRowWriter::Flush() {
  sha_.Add(buffer_);
  MLPROF_TRY(WriteAll(fd_.get(), buffer_));
  buffer_.clear();
  return {};
}

Result<std::string> PackedRowWriter::Finish() {
  MLPROF_TRY(Flush());
  if (fsync(fd_.get()) != 0) return Fail(FromErrno(errno, "fsync of " + file_.string()));
  return sha_.Hex();
}

Result<std::string> WritePackedRows(const std::filesystem::path& file, const Rows& rows) {
  MLPROF_LET(writer, PackedRowWriter::Create(file));
  for (const std::string& row : rows) MLPROF_TRY(writer.Add(row));
  return writer.Finish();
}

std::string PackedDigest(const Rows& rows) {
  Sha256 sha;
  sha.Add(kPackedMagic);
  for (const std::string& row : rows) {
    const auto length = LengthBytes(row.size());
    sha.Add({length.data(), length.size()});
    sha.Add(row);
  }
  return sha.Hex();
}

Result<Rows> ReadPackedRows(const std::filesystem::path& file) {
  MLPROF_LET(source, RowFile::Open(file));
  Rows rows;
  while (!source.AtEnd()) {
    MLPROF_LET(row, source.Next());
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Page<std::string>> ReadPackedPage(const std::filesystem::path& file,
                                         const PageRequest& page) {
  MLPROF_LET(source, RowFile::Open(file));
  MLPROF_LET(offset, OffsetOf(file, page));
  source.SeekTo(offset);
  Page<std::string> result;
  std::size_t bytes = 0;
  while (!source.AtEnd() && result.value.size() < static_cast<std::size_t>(page.top) &&
         bytes < kPageBytes) {
    MLPROF_LET(row, source.Next());
    bytes += row.size();
    result.value.push_back(std::move(row));
  }
  if (!source.AtEnd()) result.next_cursor = CursorFor(file, source.offset());
  return result;
}

}  // namespace mlprof::server
