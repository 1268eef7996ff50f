// Unpacks gzip (RFC 1952, any number of members) as it is read. kInvalidArgument for what is not
// gzip, is cut short or damaged, has other bytes behind it, or unpacks to suspiciously much.
#pragma once

#include <memory>
#include <vector>

#include "server/registry/byte_source.h"

struct z_stream_s;

namespace mlprof::server {

/// True for bytes that begin like gzip.
bool LooksLikeGzip(std::span<const char> first_bytes);
Result<bool> IsGzipFile(const std::filesystem::path& file);

class GzipSource : public ByteSource {
 public:
  /// `inner` must outlive this.
  explicit GzipSource(ByteSource& inner);
  ~GzipSource() override;
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  Status Refill();
  Status CheckRatio() const;
  /// After a member's end: true when another one follows.
  Result<bool> NextMember();

  ByteSource& inner_;
  std::vector<char> input_;
  std::unique_ptr<z_stream_s> stream_;
  bool ready_ = false;
  bool in_member_ = true;
  bool ended_ = false;
  std::int64_t packed_bytes_ = 0;
  std::int64_t unpacked_bytes_ = 0;
};

}  // namespace mlprof::server
