// Device traces, kept by content and looked at with tools.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/result/result.h"
#include "mlprof/upload.h"

namespace mlprof::client {

class Connection;

class Captures {
 public:
  explicit Captures(Connection& connection) : connection_(connection) {}

  /// The server's JSON of the capture, an XSpace that is handed in; the same content gives the
  /// same.
  Result<std::string> Upload(const client::Upload& trace);
  /// The JSON of a tool. `query`: what the tool is to heed, as the REST interface names it.
  Result<std::string> RunTool(const std::string& id, const std::string& tool,
                              const std::map<std::string, std::string>& query);
  /// The same into a file, whatever its size.
  Status DownloadTool(const std::string& id, const std::string& tool,
                      const std::map<std::string, std::string>& query,
                      const std::filesystem::path& file);

 private:
  Connection& connection_;
};

}  // namespace mlprof::client
