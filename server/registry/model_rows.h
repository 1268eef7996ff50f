// Models as rows. Every call is part of the caller's transaction.
#pragma once

#include <optional>
#include <string>

#include "common/domain/model.h"
#include "common/result/result.h"
#include "server/storage/statement.h"

namespace mlprof::server {

/// The model of a row whose columns are: document, workspace, "name:version", whether the checksum
/// is right. kInternal for a damaged one.
Result<Model> ReadModelRow(const Statement& row);
/// By id or bare name; kNotFound.
Result<Model> FindModel(Connection& connection, const std::string& workspace,
                        const std::string& id);
Status InsertModel(Connection& connection, const Model& model);
/// Writes what may change of a model that is there.
Status UpdateModel(Connection& connection, const Model& model);

}  // namespace mlprof::server
