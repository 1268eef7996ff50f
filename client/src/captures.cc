#include "client/include/mlprof/captures.h"

#include "client/src/connection.h"

namespace mlprof::client {
namespace {

Target ToolTarget(const std::string& id, const std::string& tool,
                  const std::map<std::string, std::string>& query) {
  Target target("/captures");
  target.Segment(id);
  target = Target(target.Text() + "/tools");
  target.Segment(tool);
  for (const auto& [key, value] : query) target.Query(key, value);
  return target;
}

}  // namespace

Result<std::string> Captures::Upload(const client::Upload& trace) {
  MLPROF_LET(response, connection_.CallWithUpload(Target("/captures"), trace));
  return std::move(response.body);
}

Result<std::string> Captures::RunTool(const std::string& id, const std::string& tool,
                                      const std::map<std::string, std::string>& query) {
  MLPROF_LET(response, connection_.Call("GET", ToolTarget(id, tool, query)));
  return std::move(response.body);
}

Status Captures::DownloadTool(const std::string& id, const std::string& tool,
                              const std::map<std::string, std::string>& query,
                              const std::filesystem::path& file) {
  return connection_.Download(ToolTarget(id, tool, query), file);
}

}  // namespace mlprof::client
