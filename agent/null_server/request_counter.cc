#include "agent/null_server/request_counter.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace mlprof::agent {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// `line` without its name, where it has that one, in any case of letters.
std::optional<std::string_view> ValueOf(std::string_view line, std::string_view name) {
  if (line.size() < name.size() || ::strncasecmp(line.data(), name.data(), name.size()) != 0) {
    return std::nullopt;
  }
  line.remove_prefix(name.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

// The length of the body that follows; absent where it cannot be told.
std::optional<std::size_t> BodyLength(std::string_view head) {
  std::size_t length = 0;
  for (std::size_t at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at)) {
    at += 2;
    const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    if (ValueOf(line, "transfer-encoding:")) return std::nullopt;
    const auto value = ValueOf(line, "content-length:");
    if (!value) continue;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), length);
    if (error != std::errc()) return std::nullopt;
  }
  return length;
}

}  // namespace

int RequestCounter::Feed(std::string_view bytes) {
  int ended = 0;
  while (!bytes.empty()) {
    if (body_left_ > 0) {
      const std::size_t used = std::min(body_left_, bytes.size());
      body_left_ -= used;
      bytes.remove_prefix(used);
      ended += body_left_ == 0 ? 1 : 0;
      continue;
    }
    // Most heads come whole and need no copy.
    const std::size_t before = head_.size();
    if (before > 0) head_.append(bytes);
    const std::string_view head = before > 0 ? std::string_view(head_) : bytes;
    const std::size_t end = head.find(kHeadEnd);
    if (end == std::string_view::npos) {
      if (head.size() > kMaxHead) return -1;
      if (before == 0) head_ = bytes;
      return ended;
    }
    const auto length = BodyLength(head.substr(0, end + 2));
    if (!length) return -1;
    body_left_ = *length;
    bytes.remove_prefix(end + kHeadEnd.size() - before);
    head_.clear();
    ended += body_left_ == 0 ? 1 : 0;
  }
  return ended;
}

}  // namespace mlprof::agent
