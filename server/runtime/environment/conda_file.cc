#include "server/runtime/environment/conda_file.h"

#include "common/json/json_reader.h"
#include "common/text/trim.h"
#include "server/runtime/environment/package_spec.h"
#include "server/yaml/yaml_document.h"

namespace mlprof::server::environment {
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
