// What blob requests say beside their path. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/message.h"
#include "common/result/result.h"
#include "server/storage/azure_blobs.h"

namespace mlprof::server {

/// Part of a blob: `length` bytes from `offset`, at least one.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
/// Of "bytes=a-b", "bytes=a-" or "bytes=-n". nullopt for no header, several ranges and what is no
/// range: the whole is answered then. kInvalidArgument for a range that lies behind the end.
Result<std::optional<ByteRange>> ReadRange(const HttpRequest& request, std::uint64_t size);

/// The ids of a block list. kInvalidArgument for anything but <BlockList> with <Latest> and
/// <Uncommitted>.
Result<std::vector<std::string>> ReadBlockList(std::string_view xml);

/// kInvalidArgument where the header Content-sha256 is there and is not the body's.
Status CheckBodyDigest(const HttpRequest& request, const SpooledBody& body);

/// "Fri, 20 Nov 2026 17:19:19 GMT"
std::string HttpDate(Timestamp when);

/// The response of a list request; `marker` is where the next page begins, "" at the end.
std::string BlobListXml(const std::string& base, const std::string& container,
                        const std::string& prefix, const std::vector<Blob>& blobs,
                        const std::string& marker);

}  // namespace mlprof::server
