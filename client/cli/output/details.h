// Labelled lines below headings: what a terminal shows of one thing. Details leaves them as long as
// they are; Wrapped breaks them for the terminal's width, and knows their layout. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mlprof::client::cli {

class Details {
 public:
  /// An empty line (but not at the start) and a heading.
  void Heading(std::string_view text);
  /// "  label         value"; left out where the value is empty.
  void Line(std::string_view label, std::string_view value);
  /// Each line of `text`, control characters written out, behind `indent` spaces.
  void Block(std::string_view text, std::size_t indent);
  void Plain(std::string_view text);
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Breaks every line longer than `columns` at a space. What goes on stands below the beginning of
/// the value ("  label     value") or of the text. A word longer than the line stays whole.
std::string Wrapped(std::string_view text, std::size_t columns);

}  // namespace mlprof::client::cli
