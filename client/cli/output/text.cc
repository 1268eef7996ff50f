#include "client/cli/output/text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace mlprof::client::cli {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

void AppendEscaped(std::string& out, unsigned char c) {
  std::array<char, 8> text{};
  switch (c) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: std::snprintf(text.data(), text.size(), "\\x%02x", c); out += text.data();
  }
}

std::string Escaped(std::string_view text, bool keep_lines) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // The C1 controls are U+0080 to U+009F: 0xC2 followed by 0x80 to 0x9F.
    const bool c1 = c == 0xc2 && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c1) {
      AppendEscaped(out, static_cast<unsigned char>(text[++i]));
    } else if (keep_lines && (c == '\n' || c == '\t')) {
      out += text[i];
    } else if (c < 0x20 || c == 0x7f) {
      AppendEscaped(out, c);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string Visible(std::string_view text) { return Escaped(text, false); }
std::string VisibleLines(std::string_view text) { return Escaped(text, true); }

std::string Figure(double value, int digits) {
  int decimals = 0;
  for (double limit = std::pow(10.0, digits - 1); decimals < 6 && std::abs(value) < limit;
       limit /= 10) {
    if (value == 0) break;
    ++decimals;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  std::string out = text.data();
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.ends_with('.')) out.pop_back();
  }
  return out;
}

std::string Text(Cores cores) {
  return Figure(cores.value(), 4) + (cores == Cores(1.0) ? " core" : " cores");
}

std::string InMib(Bytes bytes) { return Figure(bytes.mib(), 4) + " MiB"; }

std::string Text(Bytes bytes) {
  if (bytes < KiB(1)) return std::to_string(bytes.count()) + " B";
  if (bytes < MiB(1)) return Figure(static_cast<double>(bytes.count()) / 1024.0) + " KiB";
  if (bytes < GiB(1)) return Figure(bytes.mib()) + " MiB";
  return Figure(bytes.gib()) + " GiB";
}

std::string Milliseconds(double ms) { return Figure(ms) + " ms"; }

std::string Duration(double seconds) {
  if (seconds < 9.95) return Figure(seconds, 2) + " s";
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string Text(Timestamp when) {
  std::string text = FormatTimestamp(when).substr(0, 19);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::size_t Width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += IsContinuation(c) ? 0 : 1;
  return width;
}

std::string Shortened(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsContinuation(text[i])) continue;
    if (width == columns) return std::string(text.substr(0, i));
    ++width;
  }
  return std::string(text);
}

}  // namespace mlprof::client::cli
