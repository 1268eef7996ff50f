#include "server/runtime/environment/requirements.h"

#include <algorithm>

#include "common/json/json_reader.h"
#include "common/text/ascii.h"
#include "server/runtime/environment/text_lines.h"
#include "server/yaml/yaml_document.h"

namespace mlprof::server::environment {
namespace {

constexpr std::size_t kLongestSpec = 500;

// Takes the longest prefix of such characters off `rest`.
std::string_view Take(std::string_view& rest, std::string_view more) {
  std::size_t length = 0;
  while (length < rest.size() &&
         (IsAlnum(rest[length]) || more.find(rest[length]) != std::string_view::npos)) {
    ++length;
  }
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(length);
  return taken;
}

bool TakeName(std::string_view& rest) {
  const std::string_view name = Take(rest, "._-");
  return !name.empty() && IsAlnum(name.front()) && IsAlnum(name.back());
}

bool TakeExtras(std::string_view& rest) {
  rest = Trimmed(rest);
  if (rest.empty() || rest.front() != '[') return true;
  const std::size_t end = rest.find(']');
  if (end == std::string_view::npos) return false;
  const bool valid = ConsistsOfAlnumOr(rest.substr(1, end - 1), "._-, ");
  rest.remove_prefix(end + 1);
  return valid;
}

bool TakeClause(std::string_view& rest) {
  rest = Trimmed(rest);
  bool found = false;
  for (const std::string_view comparison : {"===", "~=", "==", "!=", "<=", ">=", "<", ">"}) {
    if (rest.substr(0, comparison.size()) != comparison) continue;
    rest.remove_prefix(comparison.size());
    found = true;
    break;
  }
  if (!found) return false;
  rest = Trimmed(rest);
  return !Take(rest, ".*+!_-").empty();
}

bool TakeVersions(std::string_view& rest) {
  rest = Trimmed(rest);
  if (rest.empty()) return true;
  while (true) {
    if (!TakeClause(rest)) return false;
    rest = Trimmed(rest);
    if (rest.empty()) return true;
    if (rest.front() != ',') return false;
    rest.remove_prefix(1);
  }
}

bool IsPackageSpec(std::string_view spec) {
  if (spec.empty() || spec.size() > kLongestSpec) return false;
  const std::size_t semicolon = spec.find(';');
  if (semicolon != std::string_view::npos) {
    const std::string_view marker = Trimmed(spec.substr(semicolon + 1));
    if (marker.empty() || !ConsistsOfAlnumOr(marker, "_.<>=!~ ()\"'-")) return false;
    spec = spec.substr(0, semicolon);
  }
  spec = Trimmed(spec);
  return TakeName(spec) && TakeExtras(spec) && TakeVersions(spec);
}

std::string Why(std::string_view spec) {
  if (spec.substr(0, 1) == "-") {
    return "options are not taken from here; configure pip on the server's machine (pip.conf or "
           "PIP_… variables)";
  }
  if (spec.find("://") != std::string_view::npos || spec.find('@') != std::string_view::npos) {
    return "addresses are not fetched; name the package, and give the server's pip an index that "
           "has it";
  }
  if (spec.find('/') != std::string_view::npos) return "paths are not installed";
  return "expected NAME, NAME==VERSION or the like";
}

}  // namespace

Status CheckPackageSpec(std::string_view spec) {
  if (IsPackageSpec(spec)) return {};
  return Fail(InvalidArgument("'" + std::string(spec.substr(0, 100)) +
                              "' is not a package to install: " + Why(Trimmed(spec))));
}

Result<std::vector<std::string>> ParseRequirements(std::string_view content) {
  std::vector<std::string> packages;
  int number = 0;
  for (const std::string_view line : Lines(content)) {
    ++number;
    const std::string_view spec = Trimmed(WithoutComment(line));
    if (spec.empty()) continue;
    if (const Status status = CheckPackageSpec(spec); !status) {
      return Fail(status.error().WithContext("line " + std::to_string(number)));
    }
    packages.emplace_back(spec);
  }
  return packages;
}

namespace {

tl::unexpected<Error> Refuse(const std::string& place, const std::string& why) {
  return Fail(InvalidArgument(place + ": " + why));
}

Status AddPipPackages(const Json& list, const std::string& place, CondaFile& file) {
  if (list.is_null()) return {};
  if (!list.is_array()) return Refuse(place, "write the packages as a list, one '- NAME' a line");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string entry = JoinPointer(place, i);
    if (!list[i].is_string()) return Refuse(entry, "expected '- NAME'");
    const std::string_view spec = Trim(list[i].get_ref<const std::string&>());
    if (Status status = CheckPackageSpec(spec); !status) {
      return Fail(status.error().WithContext(entry));
    }
    file.pip_packages.emplace_back(spec);
  }
  return {};
}

}  // namespace

void AddCondaPackage(std::string_view entry, CondaFile& file) {
  const std::string_view name = entry.substr(0, entry.find_first_of("=<>!~ ["));
  if (name == "pip") return;
  if (name != "python") {
    file.conda_packages.emplace_back(entry);
    return;
  }
  const std::size_t version = entry.find_first_of("0123456789", name.size());
  if (version == std::string_view::npos) return;
  const std::string_view rest = entry.substr(version);
  file.python_version = rest.substr(0, rest.find_first_not_of("0123456789."));
  while (!file.python_version.empty() && file.python_version.back() == '.') {
    file.python_version.pop_back();
  }
}

Result<CondaFile> ParseCondaFile(const std::string& content) {
  MLPROF_LET(document, ParseYaml(content));
  CondaFile file;
  if (document.is_null()) return file;
  if (!document.is_object()) return Refuse("/", "expected KEY: VALUE lines");
  const auto found = document.find("dependencies");
  if (found == document.end() || found->is_null()) return file;
  const std::string place = "/dependencies";
  if (!found->is_array())
    return Refuse(place, "write the dependencies as a list, one '- NAME' a line");
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Json& entry = (*found)[i];
    const std::string at = JoinPointer(place, i);
    if (entry.is_string()) {
      AddCondaPackage(Trim(entry.get_ref<const std::string&>()), file);
    } else if (entry.is_object() && entry.size() == 1 && entry.contains("pip")) {
      MLPROF_TRY(AddPipPackages(entry["pip"], at + "/pip", file));
    } else {
      return Refuse(at, "expected '- NAME', or '- pip:' and a list");
    }
  }
  return file;
}

}  // namespace mlprof::server::environment
