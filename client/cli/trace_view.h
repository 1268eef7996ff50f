// What `mlprof trace` and `mlprof capture` do with a device trace: hand it in, show it with a tool,
// and put it where XProf looks for it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "client/cli/session.h"

namespace mlprof::client::cli {

inline constexpr std::string_view kTraceEnding = ".xplane.pb";

/// What a tool is to heed, as the REST interface names it.
using TraceQuery = std::map<std::string, std::string>;

/// kInvalidArgument, with the tools that there are.
Status CheckTraceTool(const std::string& tool);
/// "box" of "DIR/box.xplane.pb".
std::string HostOf(const std::filesystem::path& trace);
/// A copy that XProf and TensorBoard find below a log directory; its path.
Result<std::filesystem::path> ExportCopy(const std::filesystem::path& trace,
                                         const std::string& host,
                                         const std::filesystem::path& folder);
/// Whether it names a capture that the server has, rather than a file.
bool IsCaptureId(const std::string& operand);
/// The id of the capture. `name`: for the progress of a large one.
Result<std::string> UploadTrace(Session& session, Client& client, const std::filesystem::path& file,
                                const std::string& name);
Result<int> ShowTool(Session& session, Client& client, const std::string& id,
                     const std::string& tool, const TraceQuery& query);

}  // namespace mlprof::client::cli
