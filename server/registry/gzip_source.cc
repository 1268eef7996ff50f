#include "server/registry/gzip_source.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace mlprof::server {
namespace {

constexpr std::size_t kInputBytes = 256 << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;
// Real models, sparse ones too, stay well below 200:1; deflate's best is 1032:1. The first part is
// free, because a small archive of zeros harms nobody.
constexpr std::int64_t kMaxRatio = 200;
constexpr std::int64_t kRatioFreeBytes = 64 << 20;

Error Bad(const char* why) { return InvalidArgument(std::string("the gzip data ") + why); }

}  // namespace

bool LooksLikeGzip(std::span<const char> first_bytes) {
  return first_bytes.size() >= 2 && first_bytes[0] == '\x1f' && first_bytes[1] == '\x8b';
}

Result<bool> IsGzipFile(const std::filesystem::path& file) {
  MLPROF_LET(source, FileSource::Open(file));
  std::array<char, 2> first{};
  MLPROF_LET(got, ReadFully(*source, first));
  return LooksLikeGzip(std::span(first).first(got));
}

GzipSource::GzipSource(ByteSource& inner)
    : inner_(inner), input_(kInputBytes), stream_(std::make_unique<z_stream>()) {
  ready_ = inflateInit2(stream_.get(), kGzipOnly) == Z_OK;
}

GzipSource::~GzipSource() {
  if (ready_) inflateEnd(stream_.get());
}

Status GzipSource::Refill() {
  MLPROF_LET(got, inner_.Read(input_));
  stream_->next_in = reinterpret_cast<Bytef*>(input_.data());
  stream_->avail_in = static_cast<uInt>(got);
  packed_bytes_ += static_cast<std::int64_t>(got);
  return {};
}

Status GzipSource::CheckRatio() const {
  if (unpacked_bytes_ <= kRatioFreeBytes || unpacked_bytes_ / kMaxRatio <= packed_bytes_) return {};
  return Fail(Error(ErrorCode::kTooLarge, "the gzip data unpacks to more than 200 times its size"));
}

Result<bool> GzipSource::NextMember() {
  if (stream_->avail_in == 0) MLPROF_TRY(Refill());
  if (stream_->avail_in == 0) return false;
  // inflate itself refuses what does not begin like a member.
  if (inflateReset(stream_.get()) != Z_OK) return Fail(Internal("zlib could not be reset"));
  return true;
}

Result<std::size_t> GzipSource::Read(std::span<char> buffer) {
  if (!ready_) return Fail(Internal("zlib could not be set up"));
  const auto size = std::min<std::size_t>(buffer.size(), std::numeric_limits<int>::max());
  stream_->next_out = reinterpret_cast<Bytef*>(buffer.data());
  stream_->avail_out = static_cast<uInt>(size);
  while (!ended_ && stream_->avail_out == size) {
    if (!in_member_) {
      MLPROF_LET(more, NextMember());
      in_member_ = more;
      ended_ = !more;
      continue;
    }
    if (stream_->avail_in == 0) {
      MLPROF_TRY(Refill());
      if (stream_->avail_in == 0) return Fail(Bad("is cut short"));
    }
    const int code = inflate(stream_.get(), Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      in_member_ = false;
    } else if (code != Z_OK) {
      return Fail(Bad("is damaged, or has something else behind it"));
    }
  }
  const std::size_t made = size - stream_->avail_out;
  unpacked_bytes_ += static_cast<std::int64_t>(made);
  MLPROF_TRY(CheckRatio());
  return made;
}

}  // namespace mlprof::server
