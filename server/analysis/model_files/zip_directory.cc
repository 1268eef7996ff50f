#include "server/analysis/model_files/zip_directory.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "server/analysis/model_files/byte_cursor.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kMostEntries = 1'000'000;
constexpr std::uint64_t kEndOfDirectory = 22;
constexpr std::uint64_t kMostComment = 0xFFFF;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint64_t kLocator64 = 20;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint32_t kSeeExtra = 0xFFFFFFFF;
constexpr std::uint64_t kMostZipName = 4096;

struct Directory {
  std::uint64_t entries;
  std::uint64_t size;
  std::uint64_t offset;
};

Error Damaged() { return InvalidArgument("its zip directory is cut or damaged: is it whole?"); }

// The end stands at the end of the file but for a comment.
Result<std::uint64_t> FindEnd(RandomBytes& bytes) {
  if (bytes.size() < kEndOfDirectory) return Fail(Damaged());
  const std::uint64_t tail = std::min(bytes.size(), kEndOfDirectory + kMostComment);
  ByteCursor cursor(bytes, bytes.size() - tail, bytes.size());
  const std::string text = cursor.Text(tail, tail);
  MLPROF_TRY(cursor.state());
  const std::size_t at = text.rfind("PK\x05\x06", text.size() - kEndOfDirectory);
  if (at == std::string::npos) return Fail(Damaged());
  return bytes.size() - tail + at;
}

// Of an archive with entries or offsets beyond 32 bits.
Result<Directory> ReadEnd64(RandomBytes& bytes, std::uint64_t end) {
  if (end < kLocator64) return Fail(Damaged());
  ByteCursor locator(bytes, end - kLocator64, end);
  if (locator.U32() != kLocator64Signature) return Fail(Damaged());
  locator.Skip(4);
  const std::uint64_t at = locator.U64();
  MLPROF_TRY(locator.state());
  ByteCursor cursor(bytes, at, end);
  if (cursor.U32() != kEnd64Signature) return Fail(Damaged());
  cursor.Skip(8 + 2 + 2 + 4 + 4 + 8);
  const std::uint64_t entries = cursor.U64();
  const std::uint64_t size = cursor.U64();
  const std::uint64_t offset = cursor.U64();
  MLPROF_TRY(cursor.state());
  return Directory{entries, size, offset};
}

Result<Directory> FindDirectory(RandomBytes& bytes) {
  MLPROF_LET(end, FindEnd(bytes));
  ByteCursor cursor(bytes, end, bytes.size());
  if (cursor.U32() != kEndSignature) return Fail(Damaged());
  cursor.Skip(2 + 2 + 2);
  const std::uint64_t entries = cursor.U16();
  const std::uint64_t size = cursor.U32();
  const std::uint64_t offset = cursor.U32();
  MLPROF_TRY(cursor.state());
  if (entries == 0xFFFF || size == kSeeExtra || offset == kSeeExtra) return ReadEnd64(bytes, end);
  return Directory{entries, size, offset};
}

// The sizes that do not fit 32 bits, in the order in which they do not.
void ReadExtra(ByteCursor& cursor, std::uint64_t length, ZipEntry& entry) {
  while (length >= 4 && cursor.ok()) {
    const std::uint16_t kind = cursor.U16();
    const std::uint64_t part = cursor.U16();
    length -= 4;
    if (part > length) return cursor.Break("its zip directory is damaged");
    std::uint64_t left = part;
    for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.header}) {
      if (kind != kExtra64 || *value != kSeeExtra || left < 8) continue;
      *value = cursor.U64();
      left -= 8;
    }
    cursor.Skip(left);
    length -= part;
  }
  cursor.Skip(length);
}

Result<ZipEntry> ReadDirectoryEntry(ByteCursor& cursor) {
  if (cursor.U32() != kEntrySignature) cursor.Break("its zip directory is damaged");
  cursor.Skip(2 + 2);
  const std::uint16_t flags = cursor.U16();
  const std::uint16_t method = cursor.U16();
  cursor.Skip(2 + 2 + 4);
  ZipEntry entry;
  entry.packed = cursor.U32();
  entry.size = cursor.U32();
  const std::uint64_t name = cursor.U16();
  const std::uint64_t extra = cursor.U16();
  const std::uint64_t comment = cursor.U16();
  cursor.Skip(2 + 2 + 4);
  entry.header = cursor.U32();
  entry.name = cursor.Text(name, kMostZipName);
  ReadExtra(cursor, extra, entry);
  cursor.Skip(comment);
  MLPROF_TRY(cursor.state());
  entry.deflated = method == 8;
  if ((flags & 1U) != 0) return Fail(InvalidArgument("it is encrypted"));
  if (method != 0 && method != 8) {
    return Fail(InvalidArgument("it is compressed in a way that is not read"));
  }
  return entry;
}

Result<std::string> Inflate(const std::string& packed, std::uint64_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Fail(Internal("inflateInit2"));
  std::string text(most, '\0');
  // zlib's interface takes what it only reads as if it wrote it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int end = inflate(&stream, Z_SYNC_FLUSH);
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  if (end != Z_OK && end != Z_STREAM_END && end != Z_BUF_ERROR) {
    return Fail(InvalidArgument("an entry of the zip archive is damaged"));
  }
  return text;
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZipDirectory(RandomBytes& bytes) {
  MLPROF_LET(directory, FindDirectory(bytes));
  if (directory.offset > bytes.size() || directory.size > bytes.size() - directory.offset) {
    return Fail(Damaged());
  }
  if (directory.entries > kMostEntries) {
    return Fail(InvalidArgument("the archive has more entries than are read"));
  }
  ByteCursor cursor(bytes, directory.offset, directory.offset + directory.size);
  std::vector<ZipEntry> entries;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    MLPROF_LET(entry, ReadDirectoryEntry(cursor));
    const bool within = entry.header <= bytes.size() && entry.packed <= bytes.size() - entry.header;
    // Deflate makes of a byte 1,032 at most.
    const bool possible =
        entry.deflated ? entry.size / 1032 <= entry.packed + 1 : entry.packed == entry.size;
    if (!within || !possible) return Fail(Damaged());
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::string> ReadZipEntry(RandomBytes& bytes, const ZipEntry& entry, std::uint64_t most) {
  ByteCursor cursor(bytes, entry.header, bytes.size());
  if (cursor.U32() != kLocalSignature) return Fail(Damaged());
  cursor.Skip(2 + 2 + 2 + 2 + 2 + 4 + 4 + 4);
  const std::uint64_t name = cursor.U16();
  const std::uint64_t extra = cursor.U16();
  cursor.Skip(name + extra);
  MLPROF_TRY(cursor.state());
  // Deflate makes nothing more than a few bytes a block larger than it was.
  const std::uint64_t wanted =
      entry.deflated ? std::min(entry.packed, most + 4096) : std::min(entry.size, most);
  if (wanted > cursor.left()) return Fail(Damaged());
  std::string text(wanted, '\0');
  MLPROF_TRY(bytes.Read(cursor.at(), text));
  if (!entry.deflated) return text;
  return Inflate(text, std::min(entry.size, most));
}

}  // namespace mlprof::server
