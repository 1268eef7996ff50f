// Files in place of ids: what is on this machine is registered first, under a name of its path's
// own, and unchanged content reuses the newest version of that name.
#pragma once

#include <string>

#include "client/cli/session.h"
#include "client/include/mlprof/rows_file.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

/// A value with '/' in it or a leading '.' is a path, whatever else it may be.
bool LooksLikePath(const std::string& value);

/// What a value means that names both something registered and something on this machine.
enum class Precedence {
  kFile,
  kRegistered,  // in Azure's spelling, where a value is an id
};

/// The id ("name:version") of the model or dataset that `value` means. kNotFound where it is
/// neither an id nor a file, kInvalidArgument for a path that is not there or cannot be one.
Result<std::string> ResolveModel(Session& session, Client& client, const std::string& value,
                                 Precedence precedence);
/// `header` is of the file, where `value` means one.
Result<std::string> ResolveDataset(Session& session, Client& client, const std::string& value,
                                   Precedence precedence, CsvHeader header);

/// Registers the file that a trace of arrivals names, or finds the dataset; other arrivals stay.
Status ResolveTrace(Session& session, Client& client, Arrivals& arrivals);

/// Packs and uploads `path` as the next version.
Result<Resource<Model>> UploadModel(Session& session, Client& client, const NewModel& model,
                                    const std::filesystem::path& path);
/// Says what the server warns of.
Result<Resource<Dataset>> UploadDataset(Session& session, Client& client, const NewDataset& dataset,
                                        const std::filesystem::path& file, CsvHeader header);

}  // namespace mlprof::client::cli
