// Rows of a dataset from the blobs its definition names.
#pragma once

#include <string>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/datasets/dataflow.h"

namespace mlprof::server {

/// The container in which the workspace's datastore lies.
inline constexpr const char* kDatastoreContainer = "azureml-blobstore";

/// kInvalidArgument where a path names nothing or a row cannot be taken; kTooLarge over
/// kMaxDatasetText.
Result<Rows> ImportRows(BlobStore& blobs, const std::string& workspace, const Dataflow& dataflow);

}  // namespace mlprof::server
