// Labelled lines below headings, wrapped by nothing: what a terminal shows of one thing.
#pragma once

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

}  // namespace mlprof::client::cli
