#include "server/azure/datasets/dataflow.h"

#include <optional>

#include "common/text/ascii.h"
#include "common/text/percent.h"
#include "server/azure/blobs/blob_path.h"
#include "server/yaml/yaml_document.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kMostPathsRead = 1000;
constexpr std::size_t kLongestNamePart = 300;

Error CannotFollow(const std::string& what) {
  return InvalidArgument("mlprof reads delimited text files of the workspace's own datastore; " +
                         what);
}

std::string TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// Takes "NAME/VALUE/" off the front of a URI, the name in any case; nullopt where it is not there.
std::optional<std::string> TakePart(std::string& uri, const std::string& name) {
  if (Lowercase(uri.substr(0, name.size() + 1)) != name + "/") return std::nullopt;
  const std::size_t end = uri.find('/', name.size() + 1);
  if (end == std::string::npos || end > kLongestNamePart) return std::nullopt;
  std::string value = uri.substr(name.size() + 1, end - name.size() - 1);
  uri.erase(0, end + 1);
  return value;
}

// "azureml://[subscriptions/S/resourcegroups/G/workspaces/W/]datastores/D/paths/PATH" to PATH.
Result<std::string> PathOf(std::string uri, const std::string& workspace) {
  constexpr std::string_view kScheme = "azureml://";
  const std::string given = uri;
  if (!uri.starts_with(kScheme)) {
    return Fail(CannotFollow("upload " + given + " there and make the dataset of that"));
  }
  uri.erase(0, kScheme.size());
  if (const auto subscription = TakePart(uri, "subscriptions")) {
    const auto group = TakePart(uri, "resourcegroups");
    const auto name = TakePart(uri, "workspaces");
    const std::string named = *subscription + "/" + group.value_or("") + "/" + name.value_or("");
    if (Lowercase(named) != Lowercase(workspace)) {
      return Fail(CannotFollow(given + " lies in another workspace"));
    }
  }
  const auto datastore = TakePart(uri, "datastores");
  if (!datastore || *datastore != kDatastoreName || !uri.starts_with("paths/")) {
    return Fail(CannotFollow(given + " is not in " + kDatastoreName));
  }
  auto path = PercentDecode(std::string_view(uri).substr(6));
  if (!path) return Fail(CannotFollow(given + " is badly encoded"));
  while (path->ends_with('/')) path->pop_back();
  if (std::string problem = CheckBlobPath(*path); !problem.empty()) {
    return Fail(CannotFollow(given + " " + problem));
  }
  return std::move(*path);
}

Result<std::vector<std::string>> ReadPaths(const Json& paths, const std::string& workspace) {
  if (!paths.is_array() || paths.empty() || paths.size() > kMostPathsRead) {
    return Fail(CannotFollow("the definition names no files, or more than 1000"));
  }
  std::vector<std::string> read;
  for (const Json& item : paths) {
    std::string uri;
    for (const char* kind : {"pattern", "file", "folder"}) {
      if (item.is_object() && uri.empty()) uri = TextOf(item, kind);
    }
    if (uri.empty()) return Fail(CannotFollow("the definition has a path of an unknown kind"));
    MLPROF_LET(path, PathOf(std::move(uri), workspace));
    read.push_back(std::move(path));
  }
  return read;
}

Result<DelimitedFormat> ReadFormat(const Json& options) {
  DelimitedFormat format;
  if (!options.is_object()) return format;
  if (const std::string delimiter = TextOf(options, "delimiter"); !delimiter.empty()) {
    if (delimiter.size() != 1) return Fail(CannotFollow("the delimiter must be one character"));
    if (delimiter == "\"" || delimiter == "\r") {
      return Fail(CannotFollow("the delimiter must not be a quote or a carriage return"));
    }
    format.delimiter = delimiter.front();
  }
  const std::string header = Lowercase(TextOf(options, "header"));
  if (header == "from_first_file") {
    format.header = HeaderRule::kFirstFile;
  } else if (header == "all_files_same_headers" || header == "all_files_different_headers") {
    format.header = HeaderRule::kEveryFile;
  } else if (!header.empty() && header != "no_header") {
    return Fail(CannotFollow("the header rule " + header + " is not known"));
  }
  const std::string encoding = Lowercase(TextOf(options, "encoding"));
  if (!encoding.empty() && encoding != "utf8" && encoding != "utf-8" && encoding != "ascii") {
    return Fail(CannotFollow("the encoding " + encoding + " is not taken: use utf8"));
  }
  format.multi_line = Lowercase(TextOf(options, "support_multi_line")) == "true";
  return format;
}

// The name and the options of one transformation: "name" or {"name": options}.
std::pair<std::string, Json> Named(const Json& item) {
  if (item.is_string()) return {item.get<std::string>(), Json(nullptr)};
  if (item.is_object() && item.size() == 1) return {item.begin().key(), item.begin().value()};
  return {"", Json(nullptr)};
}

std::string Quoted(const std::string& text) { return DumpJson(text); }

}  // namespace

Result<std::string> YamlOfDataflow(const std::string& dataflow) {
  const auto json = ParseJson(dataflow);
  if (!json) return Fail(json.error().WithContext("the dataflow"));
  if (json->is_object() && json->contains("meta") && (*json)["meta"].is_object()) {
    std::string yaml = TextOf((*json)["meta"], "RsDataflow");
    if (!yaml.empty()) return yaml;
  }
  return Fail(CannotFollow("the dataflow holds no RsDataflow"));
}

Result<Dataflow> ParseDataflow(const std::string& yaml, const std::string& workspace) {
  MLPROF_LET(json, ParseYaml(yaml));
  if (!json.is_object() || !json.contains("paths") || !json.contains("transformations") ||
      !json["transformations"].is_array()) {
    return Fail(CannotFollow("the definition has no paths or transformations"));
  }
  Dataflow dataflow;
  MLPROF_LET(paths, ReadPaths(json["paths"], workspace));
  dataflow.paths = std::move(paths);
  bool reads = false;
  for (const Json& item : json["transformations"]) {
    const auto [name, options] = Named(item);
    if (name == "read_delimited" && !reads) {
      MLPROF_LET(format, ReadFormat(options));
      dataflow.format = format;
      reads = true;
    } else if (name != "convert_column_types") {  // a row stays the text it is
      return Fail(CannotFollow("the step \"" + name + "\" of the definition is not followed"));
    }
  }
  if (!reads) return Fail(CannotFollow("the definition has no read_delimited"));
  return dataflow;
}

std::string DataflowYaml(const std::string& workspace, const std::string& path, bool multi_line) {
  const std::size_t first = workspace.find('/');
  const std::size_t second = workspace.find('/', first + 1);
  std::string base = "azureml://";
  if (second != std::string::npos) {
    base += "subscriptions/" + workspace.substr(0, first) + "/resourcegroups/" +
            workspace.substr(first + 1, second - first - 1) + "/workspaces/" +
            workspace.substr(second + 1) + "/";
  }
  const std::string uri = base + "datastores/" + kDatastoreName + "/paths/" + path;
  return "type: mltable\npaths:\n  - pattern: " + Quoted(uri) +
         "\ntransformations:\n"
         "  - read_delimited:\n"
         "      path_column: Path\n"
         "      include_path_column: false\n"
         "      encoding: utf8\n"
         "      support_multi_line: " +
         (multi_line ? "true" : "false") +
         "\n      delimiter: \"\\n\"\n"
         "      empty_as_string: false\n"
         "      partition_size: 20971520\n"
         "      header: no_header\n"
         "      infer_column_types: false\n"
         "metadata:\n"
         "  infer_column_types: \"False\"\n";
}

std::string DataflowJson(const std::string& yaml) {
  return DumpJson({{"blocks", Json::array()}, {"meta", {{"RsDataflow", yaml}}}});
}

}  // namespace mlprof::server
