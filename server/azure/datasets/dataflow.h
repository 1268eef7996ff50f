// What a tabular dataset of Azure ML v1 is defined by ("RsDataflow" YAML inside JSON): where its
// text lies and how it is cut into rows. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::server {

enum class HeaderRule { kNone, kFirstFile, kEveryFile };

struct DelimitedFormat {
  char delimiter = ',';
  HeaderRule header = HeaderRule::kNone;
  bool multi_line = false;  // a quoted field may hold line ends
};

struct Dataflow {
  std::vector<std::string> paths;  // in the workspace's datastore: files, folders, globs
  DelimitedFormat format;
};

inline constexpr const char* kDatastoreName = "workspaceblobstore";

/// The YAML inside the JSON text a client registers.
Result<std::string> YamlOfDataflow(const std::string& dataflow);
/// kInvalidArgument naming what mlprof cannot follow: another workspace or datastore, an address, a
/// transformation, an encoding.
Result<Dataflow> ParseDataflow(const std::string& yaml, const std::string& workspace);

/// The YAML of one text of the datastore whose lines are the rows; `multi_line` as above.
std::string DataflowYaml(const std::string& workspace, const std::string& path, bool multi_line);
/// As a client would register it.
std::string DataflowJson(const std::string& yaml);

}  // namespace mlprof::server
