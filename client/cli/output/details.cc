#include "client/cli/output/details.h"

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

}  // namespace mlprof::client::cli
