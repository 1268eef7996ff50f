#include "client/cli/output/yaml.h"

#include <algorithm>
#include <array>

#include "common/text/ascii.h"
#include "common/text/case.h"

namespace mlprof::client::cli {
namespace {

// Letters first, then letters, digits and what cannot mean anything: safe to write plainly unless
// it is one of the words that YAML 1.1 or 1.2 reads as a truth value or null.
bool IsPlain(const std::string& text) {
  if (text.empty() || !IsLetter(text.front())) return false;
  const bool harmless = std::all_of(text.begin(), text.end(), [](char c) {
    return IsAlnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
  });
  if (!harmless) return false;
  const std::string word = Lowercase(text);
  constexpr std::array<std::string_view, 9> kWords = {"true", "false", "null", "yes", "no",
                                                      "on",   "off",   "y",    "n"};
  return std::find(kWords.begin(), kWords.end(), word) == kWords.end();
}

// A JSON string is a double-quoted YAML scalar as it stands.
std::string Scalar(const Json& value) {
  if (!value.is_string()) return DumpJson(value);
  const auto& text = value.get_ref<const std::string&>();
  return IsPlain(text) ? text : DumpJson(value);
}

bool IsBlock(const Json& value) {
  return (value.is_object() || value.is_array()) && !value.empty();
}

void Write(const Json& value, const std::string& indent, bool first_is_placed, std::string& out);

void WriteMember(const Json& value, const std::string& indent, std::string& out) {
  if (!IsBlock(value)) {
    out += " " + Scalar(value) + "\n";
    return;
  }
  out += "\n";
  Write(value, value.is_array() ? indent : indent + "  ", false, out);
}

void WriteItem(const Json& value, const std::string& indent, std::string& out) {
  out += indent + "-";
  if (!IsBlock(value)) {
    out += " " + Scalar(value) + "\n";
    return;
  }
  out += " ";
  Write(value, indent + "  ", true, out);
}

// `first_is_placed`: the first line stands behind a dash already.
void Write(const Json& value, const std::string& indent, bool first_is_placed, std::string& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      out += (first_is_placed ? "" : indent) + Scalar(Json(key)) + ":";
      first_is_placed = false;
      WriteMember(member, indent, out);
    }
    return;
  }
  for (const Json& item : value) {
    WriteItem(item, first_is_placed ? "" : indent, out);
    first_is_placed = false;
  }
}

}  // namespace

std::string Yaml(const Json& value) {
  if (!IsBlock(value)) return Scalar(value) + "\n";
  std::string out;
  Write(value, "", false, out);
  return out;
}

}  // namespace mlprof::client::cli
