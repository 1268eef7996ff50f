#include "client/src/sse_parser.h"

#include <charconv>

namespace mlprof::client {

bool SseParser::Feed(std::string_view piece, const EventHandler& handler) {
  for (const char c : piece) {
    const bool lf_of_crlf = after_cr_ && c == '\n';
    after_cr_ = c == '\r';
    if (lf_of_crlf) continue;
    if (c != '\n' && c != '\r') {
      line_ += c;
      continue;
    }
    const std::string line = std::move(line_);
    line_.clear();
    if (!TakeLine(line, handler)) return false;
  }
  return true;
}

bool SseParser::TakeLine(std::string_view line, const EventHandler& handler) {
  if (line.empty()) return Dispatch(handler);
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.type = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (field == "id") {
    std::from_chars(value.data(), value.data() + value.size(), event_.id);
  }
  return true;
}

// The id stays for the events after it, as the standard has it.
bool SseParser::Dispatch(const EventHandler& handler) {
  const bool complete = has_data_;
  ProfileEvent event = event_;
  event_.type.clear();
  event_.data.clear();
  has_data_ = false;
  if (!complete) return true;
  if (event.type.empty()) event.type = "message";
  return handler(event);
}

}  // namespace mlprof::client
