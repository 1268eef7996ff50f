// From what was asked to what will be run: ids get their versions, the inference config is found,
// and what cannot be served is refused field by field.
#pragma once

#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/result/result.h"

namespace mlprof::server {

class ModelRegistry;
class DatasetRegistry;
class SourceRegistry;
namespace devices {
class DevicePool;
}

struct ResolvedRequest {
  ProfileRequest request;
  std::vector<Warning> warnings;
};

struct RequestServices {
  ModelRegistry& models;
  DatasetRegistry& datasets;
  SourceRegistry& sources;
  const std::string& runtime_name;
  devices::DevicePool* gpus = nullptr;  // of this machine; nullptr: none are given
  devices::DevicePool* tpus = nullptr;  // likewise
};

/// The ids among those that could be read which name nothing: for a request that is refused anyway,
/// so that all its bad fields are named at once.
Result<std::vector<FieldError>> UnknownIds(const RequestServices& services,
                                           const std::string& workspace,
                                           const ProfileRequest& request);

/// kInvalidArgument with a pointer for every bad field, kNotAvailable for what a later version
/// brings.
Result<ResolvedRequest> ResolveRequest(const RequestServices& services,
                                       const std::string& workspace, ProfileRequest request);

}  // namespace mlprof::server
