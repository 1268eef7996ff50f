// Domain values as the JSON of the REST interface, both ways. Decoders of requests collect every
// bad field (Error::fields, JSON pointers starting at `pointer`) and refuse unknown ones; decoders
// of resources are lenient (the server is trusted) and used by storage and the client.
#pragma once

#include <string>

#include "common/domain/dataset.h"
#include "common/domain/model.h"
#include "common/domain/profile.h"
#include "common/domain/sample.h"
#include "common/domain/trial.h"
#include "common/json/json.h"

namespace mlprof {

// Requests.
/// What is wrong is added to `problems`; the value then holds what could be read.
ProfileRequest DecodeProfileRequest(const Json& json, std::vector<FieldError>& problems);
/// Whether an entry script must name its sourceId (REST) or need not (a local file, whose folder is
/// still to be uploaded).
enum class SourceRule { kNeedsSourceId, kLocalFile };
/// `pointer` is where the value stands in the caller's document, e.g. "/inferenceConfig".
Result<InferenceConfig> DecodeInferenceConfig(const Json& json, const std::string& pointer,
                                              SourceRule rule);

// Resources.
Json EncodeInferenceConfig(const InferenceConfig& config);
Json EncodeModel(const Model& model);
Result<Model> DecodeModel(const Json& json);
Json EncodeDataset(const Dataset& dataset);
Result<Dataset> DecodeDataset(const Json& json);
Json EncodeProfile(const Profile& profile);
Result<Profile> DecodeProfile(const Json& json);
Json EncodeTrial(const Trial& trial);
Result<Trial> DecodeTrial(const Json& json);
Json EncodeRowRecord(const RowRecord& row);
Result<RowRecord> DecodeRowRecord(const Json& json);

// Parts, as storage keeps them.
Json EncodeRecommendation(const Recommendation& recommendation);
Result<Recommendation> DecodeRecommendation(const Json& json);
Json EncodeMeasurements(const Measurements& measurements);
Result<Measurements> DecodeMeasurements(const Json& json);
Json EncodeFindings(const Findings& findings);
Result<Findings> DecodeFindings(const Json& json);
Json EncodeProgress(const Progress& progress);
Result<Progress> DecodeProgress(const Json& json);
Json EncodeWarnings(const std::vector<Warning>& warnings);
Result<std::vector<Warning>> DecodeWarnings(const Json& json);
Json EncodeProfileError(const ProfileError& error);
Result<ProfileError> DecodeProfileError(const Json& json);
Json EncodeHostFacts(const HostFacts& host);
Result<HostFacts> DecodeHostFacts(const Json& json);

}  // namespace mlprof
