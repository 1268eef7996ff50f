#include "client/cli/output/details.h"

#include <algorithm>

#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr std::size_t kLabelWidth = 17;

}  // namespace

void Details::Heading(std::string_view text) {
  if (!out_.empty()) out_ += '\n';
  out_ += Visible(text) + "\n";
}

void Details::Line(std::string_view label, std::string_view value) {
  if (value.empty()) return;
  out_ += "  " + std::string(label);
  const std::size_t width = Width(label);
  out_.append(width < kLabelWidth ? kLabelWidth - width : 1, ' ');
  out_ += Visible(value) + "\n";
}

void Details::Block(std::string_view text, std::size_t indent) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out_ += std::string(indent, ' ') + Visible(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void Details::Plain(std::string_view text) { out_ += std::string(text) + "\n"; }

namespace {

constexpr std::size_t kFurthestValue = 24;  // columns; a gap behind it is inside of a text
constexpr std::size_t kNarrowest = 20;      // left for what goes on

// Where the value of "  label     value" begins, or the text where there is no label.
std::size_t Hanging(std::string_view line) {
  std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  if (line.substr(start).starts_with("- ")) return start + 2;
  const std::size_t gap = line.find("  ", start);
  if (gap == std::string_view::npos || gap > kFurthestValue) return start;
  const std::size_t value = std::min(line.find_first_not_of(' ', gap), line.size());
  return value > kFurthestValue ? start : value;
}

// How much of `line` goes into `columns`, up to a space behind `least`; all of it where there is
// none.
std::size_t BreakOf(std::string_view line, std::size_t least, std::size_t columns) {
  const std::size_t fits = Shortened(line, columns).size();
  const std::size_t before = line.rfind(' ', fits);
  if (before != std::string_view::npos && before > least) return before;
  return std::min(line.find(' ', std::max(fits, least + 1)), line.size());
}

void AppendWrapped(std::string& out, std::string_view line, std::size_t columns) {
  std::size_t indent = Hanging(line);
  if (indent + kNarrowest > columns) indent = 0;
  const std::string margin(indent, ' ');
  std::string rest(line);
  while (Width(rest) > columns) {
    const std::size_t end = BreakOf(rest, std::max(indent, Hanging(rest)), columns);
    if (end == rest.size()) break;
    out += rest.substr(0, end) + "\n";
    rest = margin + rest.substr(end + 1);
  }
  out += rest + "\n";
}

}  // namespace

std::string Wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    AppendWrapped(out, text.substr(0, end), columns);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace mlprof::client::cli
