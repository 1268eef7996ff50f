#include "server/azure/routes/blob_requests.h"

#include <array>
#include <charconv>
#include <ctime>

#include "common/hash/sha256.h"
#include "common/text/base64.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/routes/azure_error.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kLongestBlockId = 128;

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Takes white space off the front.
void SkipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool Take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// One <Latest>ID</Latest>.
std::optional<std::string> TakeBlock(std::string_view& xml) {
  for (const std::string name : {"Latest", "Uncommitted"}) {
    if (!Take(xml, "<" + name + ">")) continue;
    const std::size_t end = xml.find('<');
    if (end == std::string_view::npos || end == 0 || end > kLongestBlockId) return std::nullopt;
    std::string id(xml.substr(0, end));
    xml.remove_prefix(end);
    if (id.find('&') != std::string::npos || !Take(xml, "</" + name + ">")) return std::nullopt;
    return id;
  }
  return std::nullopt;
}

std::string BytesOfHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

}  // namespace

Result<std::optional<ByteRange>> ReadRange(const HttpRequest& request, std::uint64_t size) {
  auto header = request.headers.Get("x-ms-range");
  if (!header) header = request.headers.Get("Range");
  constexpr std::string_view kUnit = "bytes=";
  if (!header || !header->starts_with(kUnit)) return std::nullopt;
  const std::string_view range = std::string_view(*header).substr(kUnit.size());
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = Number(range.substr(0, dash));
  const auto last = Number(range.substr(dash + 1));
  const bool open = dash + 1 == range.size();
  if (dash == 0 ? !last : !first || (!last && !open)) return std::nullopt;
  if (dash != 0 && last && *last < *first) return std::nullopt;
  const std::uint64_t offset = dash == 0 ? size - std::min(*last, size) : *first;
  if (offset >= size) return Fail(InvalidArgument("the range lies behind the blob's end"));
  const std::uint64_t end = dash != 0 && last ? std::min(*last, size - 1) : size - 1;
  return ByteRange{offset, end - offset + 1};
}

Result<std::vector<std::string>> ReadBlockList(std::string_view xml) {
  const auto bad = [] { return Fail(InvalidArgument("the body is no list of blocks")); };
  if (xml.starts_with("\xef\xbb\xbf")) xml.remove_prefix(3);
  SkipBlanks(xml);
  if (xml.starts_with("<?xml")) {
    const std::size_t end = xml.find("?>");
    if (end == std::string_view::npos) return bad();
    xml.remove_prefix(end + 2);
    SkipBlanks(xml);
  }
  if (!Take(xml, "<BlockList>")) return bad();
  std::vector<std::string> ids;
  for (SkipBlanks(xml); !Take(xml, "</BlockList>"); SkipBlanks(xml)) {
    auto id = TakeBlock(xml);
    if (!id || ids.size() == kMostBlocks) return bad();
    ids.push_back(std::move(*id));
  }
  SkipBlanks(xml);
  if (!xml.empty()) return bad();
  return ids;
}

Status CheckBodyDigest(const HttpRequest& request, const SpooledBody& body) {
  const auto header = request.headers.Get("Content-sha256");
  if (!header) return {};
  const auto digest = DecodeBase64(*header);
  if (digest && *digest == BytesOfHex(body.sha256)) return {};
  return Fail(InvalidArgument("the body is not what Content-sha256 says"));
}

std::string HttpDate(Timestamp when) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time =
      std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count();
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[utc.tm_wday],
                utc.tm_mday, kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                utc.tm_sec);
  return text.data();
}

std::string BlobListXml(const std::string& base, const std::string& container,
                        const std::string& prefix, const std::vector<Blob>& blobs,
                        const std::string& marker) {
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"" +
      EscapeXml(base) + "/\" ContainerName=\"" + EscapeXml(container) + "\"><Prefix>" +
      EscapeXml(prefix) + "</Prefix><Blobs>";
  for (const Blob& blob : blobs) {
    const std::string date = HttpDate(blob.modified);
    xml += "<Blob><Name>" + EscapeXml(blob.path) + "</Name><Properties><Creation-Time>" + date +
           "</Creation-Time><Last-Modified>" + date + "</Last-Modified><Etag>0x" +
           blob.sha256.substr(0, 16) + "</Etag><Content-Length>" +
           std::to_string(blob.size.count()) +
           "</Content-Length><Content-Type>application/octet-stream</Content-Type>"
           "<BlobType>BlockBlob</BlobType></Properties></Blob>";
  }
  xml += "</Blobs>";
  xml += marker.empty() ? "<NextMarker />" : "<NextMarker>" + EscapeXml(marker) + "</NextMarker>";
  return xml + "</EnumerationResults>";
}

}  // namespace mlprof::server
