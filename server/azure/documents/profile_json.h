// Profiles and operations as Azure ML's clients write and read them, and profiles as its command
// line prints them. Pure.
#pragma once

#include <string>

#include "common/domain/profile.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "server/azure/documents/image_request.h"

namespace mlprof::server {

struct AzureProfileRequest {
  ProfileRequest request;  // models, dataset, ceiling; its inference config still to come
  AzureImageRequest image;
  Json asked;  // containerResourceRequirements as it came, {} where nothing was asked
};
/// kInvalidArgument with every bad field.
Result<AzureProfileRequest> DecodeAzureProfile(const Json& json);

/// What a profile's response holds beside the profile.
struct AzureProfileFacts {
  Json asked;              // null where the profile came another way
  std::string dataset_id;  // the dataset's GUID
  std::string logs_url;
};
Json EncodeAzureProfile(const Profile& profile, const AzureProfileFacts& facts);

/// The same profile as the operation a client waits for.
Json EncodeAzureOperation(const Profile& profile, const std::string& profile_url);

/// A profile as `az ml model profile` prints it, which is azureml-core's ModelProfile.serialize():
/// the response that the SDK is given, laid flat. Every key is there, null where there is nothing
/// to say. `asked` is the containerResourceRequirements that an Azure route was given, null where
/// none was: then the profile's own ceiling is. Its errorLogsUri is a path on this server.
Json EncodeAzProfile(const Profile& profile, const Json& asked);

}  // namespace mlprof::server
