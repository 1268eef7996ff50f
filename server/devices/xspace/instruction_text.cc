#include "server/devices/xspace/instruction_text.h"

#include <algorithm>

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kMostShapesOfText = 64;
constexpr std::size_t kMostTried = 256;           // what only looks like one is scanned too
constexpr std::size_t kLongestShapeText = 1'024;  // of one: it is looked through for each

// Behind the parenthesis that closes the one at `open`; the end where none does, as of a cut text.
std::size_t BehindParentheses(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

bool IsOfTypeName(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

InstructionText SplitInstruction(std::string_view text) {
  InstructionText out;
  const std::size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) return out;
  text.remove_prefix(equals + 3);
  const std::size_t end =
      text.starts_with('(') ? BehindParentheses(text, 0) : std::min(text.find(' '), text.size());
  out.result = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with(' ')) text.remove_prefix(1);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return out;
  out.opcode = text.substr(0, open);
  const std::size_t behind = BehindParentheses(text, open);
  out.operands = text.substr(open + 1, behind - open - 1);
  if (out.operands.ends_with(')')) out.operands.remove_suffix(1);
  return out;
}

std::vector<Shape> ShapesIn(std::string_view text) {
  std::vector<Shape> out;
  std::size_t taken = 0;  // what stands before belongs to another shape
  std::size_t tried = 0;
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    std::size_t start = open;
    while (start > taken && IsOfTypeName(text[start - 1])) --start;
    taken = open + 1;
    if (start == open) continue;
    if (++tried > kMostTried) break;
    auto shape = ParseShape(text.substr(start, kLongestShapeText));
    if (!shape) continue;
    out.push_back(std::move(*shape));
    if (out.size() == kMostShapesOfText) break;
  }
  return out;
}

}  // namespace mlprof::server::xspace
