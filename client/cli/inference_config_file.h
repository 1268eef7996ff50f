// An inference config in a file on this machine. Paths in it are relative to that file; an entry
// script's folder is uploaded, and the config then names it by its source id.
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/session.h"
#include "client/include/mlprof/pack_tar.h"
#include "common/domain/inference_config.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

struct LocalInferenceConfig {
  InferenceConfig config;               // paths are those inside the source
  std::filesystem::path source_folder;  // to upload, or a single file; empty for images and for a
                                        // given sourceId
  std::vector<ExtraFile> extra;         // files the config names that lie outside of that folder
};

/// Reads and checks it, the files it names included; nothing is uploaded. kInvalidArgument naming
/// the file and the JSON pointers.
Result<LocalInferenceConfig> ReadInferenceConfigFile(const std::filesystem::path& file);

/// The same of one that was read as a part of `file`, where it stands at `pointer`.
Result<LocalInferenceConfig> LocalConfigOf(const std::filesystem::path& file,
                                           InferenceConfig config, const std::string& pointer);

/// `path` as seen from inside `folder`; "" where it lies outside.
std::string PathInside(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Uploads the source, if there is one, and gives the config to send.
Result<InferenceConfig> UploadSource(Session& session, Client& client, LocalInferenceConfig local);

}  // namespace mlprof::client::cli
