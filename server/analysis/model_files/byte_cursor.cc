#include "server/analysis/model_files/byte_cursor.h"

#include <algorithm>
#include <cstring>

namespace mlprof::server {
namespace {

constexpr std::uint64_t kBuffer = 16UL * 1024;
// What describes the tensors of the largest models is a few MB; of a hostile file it may be all.
constexpr std::uint64_t kMostRead = 256UL * 1024 * 1024;
constexpr int kMostVarintBytes = 10;

}  // namespace

ByteCursor::ByteCursor(RandomBytes& bytes, std::uint64_t begin, std::uint64_t end)
    : bytes_(bytes), at_(std::min(begin, bytes.size())), end_(std::min(end, bytes.size())) {
  end_ = std::max(at_, end_);
}

void ByteCursor::Break(std::string why) {
  if (ok()) state_ = Fail(InvalidArgument(std::move(why)));
}

void ByteCursor::Fill() {
  const std::uint64_t length = std::min(kBuffer, left());
  read_ += length;
  if (read_ > kMostRead) return Break("what describes its tensors is larger than is read");
  buffer_.resize(length);
  buffer_begins_ = at_;
  if (auto read = bytes_.Read(at_, buffer_); !read && ok()) state_ = std::move(read);
}

unsigned char ByteCursor::Next() {
  if (!ok()) return 0;
  if (left() == 0) {
    Break("the file ends within what describes its tensors");
    return 0;
  }
  if (at_ < buffer_begins_ || at_ >= buffer_begins_ + buffer_.size()) Fill();
  if (!ok()) return 0;
  return static_cast<unsigned char>(buffer_[at_++ - buffer_begins_]);
}

std::uint64_t ByteCursor::Number(int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(Next()) << (8 * i);
  return ok() ? value : 0;
}

std::uint64_t ByteCursor::Varint() {
  std::uint64_t value = 0;
  for (int i = 0; i < kMostVarintBytes; ++i) {
    const unsigned char byte = Next();
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
    if ((byte & 0x80U) == 0) return ok() ? value : 0;
  }
  Break("a number in it is longer than 64 bits");
  return 0;
}

std::string ByteCursor::Text(std::uint64_t length, std::uint64_t most) {
  if (length > most) Break("a text in it is longer than any that is known");
  if (length > left()) Break("the file ends within what describes its tensors");
  std::string text;
  for (std::uint64_t i = 0; i < length && ok(); ++i) text += static_cast<char>(Next());
  return ok() ? text : "";
}

std::string ByteCursor::Until(char end, std::uint64_t most) {
  std::string text;
  while (ok()) {
    const char c = static_cast<char>(Next());
    if (c == end) break;
    if (text.size() == most) Break("a text in it is longer than any that is known");
    text += c;
  }
  return ok() ? text : "";
}

void ByteCursor::Skip(std::uint64_t length) {
  if (!ok()) return;
  if (length > left()) return Break("the file ends within what it holds");
  at_ += length;
}

Status BytesInMemory::Read(std::uint64_t offset, std::span<char> into) {
  if (offset > text_.size() || into.size() > text_.size() - offset) {
    return Fail(Internal("read beyond the end"));
  }
  std::memcpy(into.data(), text_.data() + offset, into.size());
  return {};
}

}  // namespace mlprof::server
