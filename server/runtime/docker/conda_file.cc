// The part of YAML that conda environment files are written in: block lists, one entry a line.
#include "server/runtime/docker/package_spec.h"
#include "server/runtime/docker/text_lines.h"

namespace mlprof::docker {
namespace {

std::string_view Unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

class CondaReader {
 public:
  // One line without its comment; not blank.
  Status Take(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' ');
    const std::string_view text = Trimmed(line);
    if (text.front() == '\t' || line[indent] == '\t') return Refuse(text, "indent with blanks");
    const bool item = text == "-" || text.substr(0, 2) == "- ";
    if (!item) return TakeKey(indent, text);
    if (!in_dependencies_) return {};
    const std::string_view entry = Unquoted(Trimmed(text.substr(1)));
    if (in_pip_ && indent > item_indent_) return TakePip(entry);
    item_indent_ = indent;
    in_pip_ = entry == "pip:";
    if (!in_pip_) TakeConda(entry);
    return {};
  }
  CondaFile Done() { return std::move(file_); }

 private:
  Status TakeKey(std::size_t indent, std::string_view text) {
    if (text == "---") return {};
    if (indent > 0) return in_dependencies_ ? Refuse(text, "expected '- NAME'") : Status();
    constexpr std::string_view kKey = "dependencies:";
    in_dependencies_ = text.substr(0, kKey.size()) == kKey;
    in_pip_ = false;
    if (in_dependencies_ && text.size() > kKey.size()) {
      return Refuse(text, "write the dependencies as a list, one '- NAME' a line");
    }
    return {};
  }

  Status TakePip(std::string_view entry) {
    MLPROF_TRY(CheckPackageSpec(entry));
    file_.pip_packages.emplace_back(entry);
    return {};
  }

  void TakeConda(std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find_first_of("=<>!~ ["));
    if (name == "pip") return;
    if (name != "python") {
      file_.conda_packages.emplace_back(entry);
      return;
    }
    const std::size_t version = entry.find_first_of("0123456789", name.size());
    if (version == std::string_view::npos) return;
    const std::string_view rest = entry.substr(version);
    file_.python_version = rest.substr(0, rest.find_first_not_of("0123456789."));
    while (!file_.python_version.empty() && file_.python_version.back() == '.') {
      file_.python_version.pop_back();
    }
  }

  static Status Refuse(std::string_view text, const std::string& why) {
    return Fail(InvalidArgument("'" + std::string(text.substr(0, 100)) + "': " + why));
  }

  CondaFile file_;
  bool in_dependencies_ = false;
  bool in_pip_ = false;
  std::size_t item_indent_ = 0;  // of the entries of `dependencies`
};

}  // namespace

Result<CondaFile> ParseCondaFile(std::string_view content) {
  CondaReader reader;
  int number = 0;
  for (const std::string_view line : Lines(content)) {
    ++number;
    const std::string_view text = WithoutComment(line);
    if (Trimmed(text).empty()) continue;
    if (const Status status = reader.Take(text); !status) {
      return Fail(status.error().WithContext("line " + std::to_string(number)));
    }
  }
  return reader.Done();
}

}  // namespace mlprof::docker
