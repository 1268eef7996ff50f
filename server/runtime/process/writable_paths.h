// Which of them can be laid over this machine's folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/result/result.h"

namespace mlprof::server::process {

/// In normal form, each once. kInvalidArgument, with what to do, for one that cannot be writable
/// anywhere, that is a link on this machine or leads through one, or that holds or lies in the
/// server's own `data` (canonical). What lies in /tmp or HOME is the model's own.
Result<std::vector<std::string>> WritablePathsHere(const std::vector<std::string>& paths,
                                                   const std::filesystem::path& data);

}  // namespace mlprof::server::process
