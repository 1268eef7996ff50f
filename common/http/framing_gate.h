// The gate every request passes before anything else sees it: where the header block ends and what
// it says about framing, judged strictly (RFC 9112, without its tolerances), so that no two parsers
// can disagree about where a request ends. Pure; any thread. A refusal always closes the
// connection, since nobody knows what the bytes after it are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/message.h"
#include "common/result/result.h"

namespace mlprof {

// As RFC 9110 (4.1) recommends at the least; and what common servers take (Apache: 100 fields).
inline constexpr std::size_t kMaxTargetBytes = 8 << 10;
inline constexpr std::size_t kMaxHeaderFields = 100;

struct GateRefusal {
  int status = 400;  // 400, 414, 431, 501 or 505
  std::string reason;
};

struct RequestHead {
  std::string method;
  std::string target;  // origin-form: "/path?query"
  int minor_version = 1;
  HttpHeaders headers;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool keep_alive = true;
  std::optional<std::string> expect;

  bool HasBody() const { return chunked || content_length.value_or(0) > 0; }
};

/// How far the header block has come.
struct HeadScan {
  enum class State { kIncomplete, kComplete, kBad } state = State::kIncomplete;
  std::size_t end = 0;  // kComplete: one past the CRLFCRLF
};
/// Looks for the end of the block in `bytes`, of which the first `from` were looked at before. A
/// bare CR, a bare LF or a NUL is bad at once.
HeadScan ScanHead(std::string_view bytes, std::size_t from);

/// Judges a whole header block, CRLFCRLF included.
tl::expected<RequestHead, GateRefusal> JudgeHead(std::string_view block);

/// "Name: value" with a token as name, visible value and no folding; `line` has no CRLF.
bool IsFieldLine(std::string_view line);

}  // namespace mlprof
