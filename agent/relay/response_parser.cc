#include "agent/relay/response_parser.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/relay/http_text.h"

namespace mlprof::agent {

using agent_protocol::RowFailure;

void ResponseParser::Reset(bool head_request) {
  part_ = Part::kStatusLine;
  failure_ = RowFailure::kNone;
  line_.clear();
  head_bytes_ = 0;
  head_request_ = head_request;
  status_ = 0;
  keep_alive_ = false;
  left_ = 0;
  body_bytes_ = 0;
  excerpt_.clear();
}

void ResponseParser::FailWith(RowFailure failure) {
  part_ = Part::kFailed;
  failure_ = failure;
  keep_alive_ = false;
}

std::size_t ResponseParser::Feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && part_ != Part::kComplete && part_ != Part::kFailed) {
    const std::string_view rest = bytes.substr(used);
    const bool in_body =
        part_ == Part::kSizedBody || part_ == Part::kBodyToEnd || part_ == Part::kChunkData;
    used += in_body ? FeedBody(rest) : FeedLine(rest);
  }
  return used;
}

void ResponseParser::End() {
  if (part_ == Part::kComplete || part_ == Part::kFailed) return;
  if (part_ == Part::kBodyToEnd) {
    part_ = Part::kComplete;
  } else {
    FailWith(RowFailure::kReset);
  }
}

std::size_t ResponseParser::FeedLine(std::string_view bytes) {
  const bool chunk_line = part_ == Part::kChunkSize || part_ == Part::kChunkEnd;
  const std::size_t limit = chunk_line
                                ? limits_.chunk_line - std::min(limits_.chunk_line, line_.size())
                                : limits_.head - std::min(limits_.head, head_bytes_);
  const std::size_t newline = bytes.find('\n');
  const std::size_t used = newline == std::string_view::npos ? bytes.size() : newline + 1;
  if (used > limit) {
    FailWith(RowFailure::kMalformed);
    return 0;
  }
  if (!chunk_line) head_bytes_ += used;
  if (newline == std::string_view::npos) {
    line_.append(bytes);
    return used;
  }
  std::string_view line = bytes.substr(0, newline);
  if (!line_.empty()) {
    line_.append(line);
    line = line_;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  OnLine(line);
  line_.clear();
  return used;
}

void ResponseParser::OnLine(std::string_view line) {
  if (!IsFieldText(line)) return FailWith(RowFailure::kMalformed);
  switch (part_) {
    case Part::kStatusLine: return OnStatusLine(line);
    case Part::kHeaders: return line.empty() ? OnHeadEnd() : OnHeader(line);
    case Part::kChunkSize: return OnChunkSize(line);
    case Part::kChunkEnd:
      part_ = Part::kChunkSize;
      return line.empty() ? void() : FailWith(RowFailure::kMalformed);
    case Part::kTrailers:
      if (line.empty()) part_ = Part::kComplete;
      return;
    default: return;
  }
}

// "HTTP/1.1 200 OK"; the reason may be missing.
void ResponseParser::OnStatusLine(std::string_view line) {
  const bool known = line.starts_with("HTTP/1.0 ") || line.starts_with("HTTP/1.1 ");
  if (!known || line.size() < 12 || (line.size() > 12 && line[12] != ' ')) {
    return FailWith(RowFailure::kMalformed);
  }
  const std::string_view code = line.substr(9, 3);
  const auto status = ParseDecimal(code);
  if (!status || *status < 100) return FailWith(RowFailure::kMalformed);
  status_ = static_cast<int>(*status);
  http_1_0_ = line[7] == '0';
  close_seen_ = keep_alive_seen_ = false;
  has_length_ = has_encoding_ = chunked_ = false;
  part_ = Part::kHeaders;
}

void ResponseParser::OnHeader(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
    return FailWith(RowFailure::kMalformed);
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trim(line.substr(colon + 1));
  if (EqualsIgnoringCase(name, "content-length")) return OnContentLength(value);
  if (EqualsIgnoringCase(name, "transfer-encoding")) return OnTransferEncoding(value);
  if (EqualsIgnoringCase(name, "connection")) return OnConnection(value);
}

void ResponseParser::OnContentLength(std::string_view value) {
  const auto length = ParseDecimal(value);
  if (!length || (has_length_ && *length != left_)) return FailWith(RowFailure::kMalformed);
  has_length_ = true;
  left_ = *length;
}

void ResponseParser::OnTransferEncoding(std::string_view value) {
  has_encoding_ = true;
  ForEachInList(value, [&](std::string_view coding) {
    chunked_ = EqualsIgnoringCase(coding, "chunked");  // the last one decides
  });
}

void ResponseParser::OnConnection(std::string_view value) {
  ForEachInList(value, [&](std::string_view option) {
    close_seen_ |= EqualsIgnoringCase(option, "close");
    keep_alive_seen_ |= EqualsIgnoringCase(option, "keep-alive");
  });
}

void ResponseParser::OnHeadEnd() {
  if (status_ == 101) return FailWith(RowFailure::kMalformed);
  if (status_ < 200) {
    status_ = 0;
    left_ = 0;
    part_ = Part::kStatusLine;
    return;
  }
  // RFC 9112 6.1: with both, or with an encoding on HTTP/1.0, the connection carries nothing more.
  const bool doubtful = has_encoding_ && (has_length_ || http_1_0_);
  keep_alive_ = !close_seen_ && !doubtful && (!http_1_0_ || keep_alive_seen_);
  if (head_request_ || status_ == 204 || status_ == 304) {
    part_ = Part::kComplete;
  } else if (chunked_) {
    part_ = Part::kChunkSize;
  } else if (has_encoding_ || !has_length_) {
    keep_alive_ = false;
    part_ = Part::kBodyToEnd;
  } else if (left_ > limits_.body) {
    FailWith(RowFailure::kTooLarge);
  } else {
    part_ = left_ == 0 ? Part::kComplete : Part::kSizedBody;
  }
}

void ResponseParser::OnChunkSize(std::string_view line) {
  const std::string_view digits = Trim(line.substr(0, line.find(';')));
  std::uint64_t size = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, size, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || digits.size() > 16) {
    return FailWith(RowFailure::kMalformed);
  }
  if (size > limits_.body - body_bytes_) return FailWith(RowFailure::kTooLarge);
  left_ = size;
  part_ = size == 0 ? Part::kTrailers : Part::kChunkData;
}

std::size_t ResponseParser::FeedBody(std::string_view bytes) {
  std::size_t used = bytes.size();
  if (part_ == Part::kBodyToEnd) {
    if (used > limits_.body - body_bytes_) {
      FailWith(RowFailure::kTooLarge);
      return 0;
    }
  } else {
    used = static_cast<std::size_t>(std::min<std::uint64_t>(used, left_));
    left_ -= used;
  }
  body_bytes_ += used;
  const bool success = status_ >= 200 && status_ < 300;
  if (!success && excerpt_.size() < limits_.excerpt) {
    excerpt_.append(bytes.substr(0, std::min(used, limits_.excerpt - excerpt_.size())));
  }
  if (part_ == Part::kSizedBody && left_ == 0) part_ = Part::kComplete;
  if (part_ == Part::kChunkData && left_ == 0) part_ = Part::kChunkEnd;
  return used;
}

}  // namespace mlprof::agent
