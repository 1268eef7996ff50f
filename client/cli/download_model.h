// A registered model's files, unpacked into a folder of this machine.
#pragma once

#include <filesystem>
#include <string>

#include "client/include/mlprof/client.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// Makes the folder where needed. kConflict for files that are there already, unless `overwrite`.
Status DownloadModel(Client& client, const std::string& id, const std::filesystem::path& folder,
                     bool overwrite);

}  // namespace mlprof::client::cli
