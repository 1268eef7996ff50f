#include "server/analysis/model_files/sorted_table.h"

#include "server/analysis/model_files/byte_cursor.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kFooter = 48;
constexpr std::uint64_t kTableMagic = 0xdb4775248b80fb57;
constexpr std::uint64_t kMostTableKey = 4UL * 1024;
constexpr std::uint64_t kMostValue = 16UL * 1024 * 1024;
constexpr std::uint64_t kBlockTrailer = 5;  // its compression, a checksum

struct BlockHandle {
  std::uint64_t offset;
  std::uint64_t size;
};

BlockHandle ReadHandle(ByteCursor& cursor) {
  const std::uint64_t offset = cursor.Varint();
  return {offset, cursor.Varint()};
}

using Entry = std::function<Status(const std::string& key, std::string value)>;

// Keys share their beginning with the key before.
Status ReadBlock(RandomBytes& bytes, BlockHandle handle, const Entry& entry) {
  if (handle.offset > bytes.size() || bytes.size() - handle.offset < kBlockTrailer ||
      handle.size > bytes.size() - handle.offset - kBlockTrailer || handle.size < 4) {
    return Fail(InvalidArgument("a block of its table reaches beyond the end of the file"));
  }
  const std::uint64_t end = handle.offset + handle.size;
  ByteCursor trailer(bytes, end - 4, end + 1);
  const std::uint64_t restarts = trailer.U32();
  if (trailer.U8() != 0) return Fail(InvalidArgument("its table is compressed, which is not read"));
  if (restarts > (handle.size - 4) / 4) {
    return Fail(InvalidArgument("a block of its table is damaged"));
  }
  ByteCursor cursor(bytes, handle.offset, end - 4 - restarts * 4);
  std::string key;
  while (cursor.ok() && cursor.left() > 0) {
    const std::uint64_t shared = cursor.Varint();
    const std::uint64_t own = cursor.Varint();
    const std::uint64_t value = cursor.Varint();
    if (shared > key.size()) cursor.Break("a block of its table is damaged");
    if (cursor.ok()) key.resize(shared);
    key += cursor.Text(own, kMostTableKey);
    if (key.size() > kMostTableKey) cursor.Break("a key of its table is too long");
    std::string text = cursor.Text(value, kMostValue);
    MLPROF_TRY(cursor.state());
    MLPROF_TRY(entry(key, std::move(text)));
  }
  return cursor.state();
}

}  // namespace

bool EndsAsSortedTable(RandomBytes& bytes) {
  if (bytes.size() < kFooter) return false;
  ByteCursor magic(bytes, bytes.size() - 8, bytes.size());
  return magic.U64() == kTableMagic && magic.ok();
}

Status ReadSortedTable(RandomBytes& bytes, const Entry& entry) {
  if (!EndsAsSortedTable(bytes)) {
    return Fail(InvalidArgument("it does not end as a checkpoint's index does: is it whole?"));
  }
  ByteCursor footer(bytes, bytes.size() - kFooter, bytes.size());
  ReadHandle(footer);  // of what describes the table itself
  const BlockHandle index = ReadHandle(footer);
  MLPROF_TRY(footer.state());
  std::uint64_t blocks = 0;
  return ReadBlock(bytes, index, [&](const std::string&, std::string value) -> Status {
    BytesInMemory held(std::move(value));
    ByteCursor cursor(held);
    const BlockHandle block = ReadHandle(cursor);
    MLPROF_TRY(cursor.state());
    // Each is read whole, so that a hostile index, which names one block often, must not do so.
    blocks += block.size;
    if (blocks > bytes.size()) return Fail(InvalidArgument("its table names a block twice"));
    return ReadBlock(bytes, block, entry);
  });
}

}  // namespace mlprof::server
