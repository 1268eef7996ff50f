#include "server/devices/xspace/chrome_writer.h"

#include <algorithm>
#include <cstdio>

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kPiece = 65'536;
constexpr std::size_t kRoomBeyond = 4096;
constexpr std::size_t kLongestTraceText = 2048;

}  // namespace

ChromeWriter::ChromeWriter(const TextSink& sink) : sink_(sink) {
  text_.reserve(kPiece + kRoomBeyond);
}

void ChromeWriter::Number(double value) {
  char digits[40];
  const int size = std::snprintf(digits, sizeof digits, "%.6f", value);
  std::string_view written(digits, static_cast<std::size_t>(size));
  while (written.ends_with('0')) written.remove_suffix(1);
  if (written.ends_with('.')) written.remove_suffix(1);
  text_ += written;
}

// Plain texts go as they are; what needs care goes through the one encoder of JSON.
void ChromeWriter::String(std::string_view value) {
  const std::string_view cut = value.substr(0, kLongestTraceText);
  const bool plain = std::all_of(cut.begin(), cut.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    text_ += '"';
    text_ += cut;
    text_ += '"';
  } else {
    text_ += DumpJson(Json(std::string(cut)));
  }
}

Status ChromeWriter::Flush(bool all) {
  if (text_.size() < kPiece && !all) return written_;
  if (written_) written_ = sink_(text_);
  text_.clear();
  return written_;
}

}  // namespace mlprof::server::xspace
