// Paths in place of ids: what is on this machine is registered first, and the same content reuses
// the newest version.
#pragma once

#include <string>

#include "client/cli/session.h"
#include "common/result/result.h"

namespace mlprof::cli {

/// A value with '/' in it or a leading '.' is a path, whatever else it may be.
bool LooksLikePath(const std::string& value);

/// The id ("name:version") of the model or dataset that `value` means. kNotFound where it is
/// neither an id nor a file, kInvalidArgument for a path that is not there.
Result<std::string> ResolveModel(Session& session, Client& client, const std::string& value);
Result<std::string> ResolveDataset(Session& session, Client& client, const std::string& value);

/// Packs and uploads `path` as the next version.
Result<Resource<Model>> UploadModel(Session& session, Client& client, const NewModel& model,
                                    const std::filesystem::path& path);
Result<Resource<Dataset>> UploadDataset(Session& session, Client& client, const NewDataset& dataset,
                                        const std::filesystem::path& file);

}  // namespace mlprof::cli
