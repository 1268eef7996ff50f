#include "server/registry/packed_row_source.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "common/hash/sha256.h"
#include "server/registry/packed_rows.h"
#include "server/storage/durable_file.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kBuffer = 1 << 20;

std::uint32_t LengthOf(const unsigned char (&bytes)[4]) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// Follows a packed file from its begin and notes where the rows lie.
class Walk {
 public:
  void Add(std::string_view bytes) {
    while (!bytes.empty() && !bad_) {
      const std::size_t taken = left_ > 0 ? Skip(bytes) : TakeHead(bytes);
      bytes.remove_prefix(taken);
    }
  }
  /// Whole, up to here.
  bool Whole() const { return !bad_ && in_rows_ && left_ == 0 && head_size_ == 0; }
  RowIndex TakeIndex() { return std::move(index_); }

 private:
  std::size_t Skip(std::string_view bytes) {
    const std::size_t skipped = std::min<std::size_t>(left_, bytes.size());
    left_ -= static_cast<std::uint32_t>(skipped);
    return skipped;
  }

  std::size_t TakeHead(std::string_view bytes) {
    const std::size_t wanted = in_rows_ ? 4 : kPackedMagic.size();
    const std::size_t taken = std::min(wanted - head_size_, bytes.size());
    std::memcpy(head_.data() + head_size_, bytes.data(), taken);
    head_size_ += taken;
    if (head_size_ < wanted) return taken;
    head_size_ = 0;
    if (in_rows_) {
      left_ = LengthOf({head_[0], head_[1], head_[2], head_[3]});
      index_.Add(left_);
    } else {
      bad_ = std::memcmp(head_.data(), kPackedMagic.data(), wanted) != 0;
      in_rows_ = true;
    }
    return taken;
  }

  RowIndex index_{static_cast<std::int64_t>(kPackedMagic.size())};
  std::array<unsigned char, kPackedMagic.size()> head_{};
  std::size_t head_size_ = 0;
  std::uint32_t left_ = 0;  // bytes of the row that is being passed
  bool in_rows_ = false;
  bool bad_ = false;
};

class PackedRowSource final : public RowSource {
 public:
  PackedRowSource(std::filesystem::path file, FileDescriptor fd, RowIndex index)
      : file_(std::move(file)), fd_(std::move(fd)), index_(std::move(index)) {}

  std::size_t count() const override { return index_.count(); }
  Bytes SizeOf(std::uint32_t row) const override { return Bytes(index_.SizeOf(row)); }

  Status Read(std::uint32_t row, std::string& into) const override {
    into.resize(index_.SizeOf(row));
    unsigned char length[4] = {};
    MLPROF_TRY(ReadAt(index_.OffsetOf(row), length, into));
    // A length that differs from the index shows that the file was changed since it was opened.
    if (LengthOf(length) == into.size()) return {};
    return Fail(Internal("the rows in " + file_.string() + " have changed while they were used"));
  }

 private:
  Status ReadAt(std::int64_t offset, unsigned char (&length)[4], std::string& into) const {
    std::size_t filled = 0;
    const std::size_t wanted = sizeof(length) + into.size();
    while (filled < wanted) {
      const std::size_t head = std::min(filled, sizeof(length));
      const std::size_t body = filled - head;
      const iovec parts[] = {{length + head, sizeof(length) - head},
                             {into.data() + body, into.size() - body}};
      const ssize_t got = preadv(fd_.get(), parts, 2, offset + static_cast<std::int64_t>(filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Fail(FromErrno(errno, "reading " + file_.string()));
      if (got == 0) return Fail(Internal("the file " + file_.string() + " was cut short"));
      filled += static_cast<std::size_t>(got);
    }
    return {};
  }

  const std::filesystem::path file_;
  const FileDescriptor fd_;
  const RowIndex index_;
};

}  // namespace

Result<std::unique_ptr<RowSource>> OpenPackedRows(const std::filesystem::path& file,
                                                  const std::string& sha256,
                                                  const std::stop_token& stop) {
  FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return Fail(FromErrno(errno, "opening " + file.string()));
  Sha256 sha;
  Walk walk;
  std::vector<char> buffer(kBuffer);
  while (true) {
    if (stop.stop_requested()) return Fail(Cancelled("reading " + file.string() + " was stopped"));
    const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Fail(FromErrno(errno, "reading " + file.string()));
    if (got == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    sha.Add(bytes);
    walk.Add(bytes);
  }
  if (!walk.Whole() || sha.Hex() != sha256) {
    return Fail(Internal("the rows in " + file.string() + " are damaged"));
  }
  // Rows are replayed in a random order: what the kernel would read beside each is not needed.
  posix_fadvise(fd.get(), 0, 0, POSIX_FADV_RANDOM);
  std::unique_ptr<RowSource> rows =
      std::make_unique<PackedRowSource>(file, std::move(fd), walk.TakeIndex());
  return rows;
}

namespace {

// One eight-byte mark for so many rows adds an eighth of a byte to each row's four; finding a row
// sums up at most so many lengths.
constexpr std::size_t kStride = 64;
constexpr std::int64_t kLengthBytes = 4;

}  // namespace

void RowIndex::Add(std::uint32_t bytes) {
  if (sizes_.size() % kStride == 0) marks_.push_back(end_);
  sizes_.push_back(bytes);
  end_ += kLengthBytes + bytes;
}

std::int64_t RowIndex::OffsetOf(std::size_t row) const {
  const std::size_t mark = row / kStride;
  std::int64_t offset = marks_[mark];
  for (std::size_t before = mark * kStride; before < row; ++before) {
    offset += kLengthBytes + sizes_[before];
  }
  return offset;
}

}  // namespace mlprof::server
