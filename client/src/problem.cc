#include "client/src/problem.h"

#include "client/src/json_fields.h"

namespace mlprof::client {
namespace {

ErrorCode CodeOfStatus(int status) {
  switch (status) {
    case 401: return ErrorCode::kUnauthenticated;
    case 403: return ErrorCode::kPermissionDenied;
    case 404: return ErrorCode::kNotFound;
    case 409: return ErrorCode::kConflict;
    case 413: return ErrorCode::kTooLarge;
    case 415: return ErrorCode::kUnsupportedMedia;
    case 422: return ErrorCode::kKeyReused;
    case 429: return ErrorCode::kResourceExhausted;
    case 501: return ErrorCode::kNotAvailable;
    case 503: return ErrorCode::kUnavailable;
    case 504: return ErrorCode::kDeadlineExceeded;
    default:
      return status >= 400 && status < 500 ? ErrorCode::kInvalidArgument : ErrorCode::kInternal;
  }
}

std::vector<FieldError> FieldsOf(const Json& problem) {
  std::vector<FieldError> fields;
  const auto errors = problem.find("errors");
  if (errors == problem.end() || !errors->is_array()) return fields;
  for (const Json& entry : *errors) {
    fields.push_back({TextField(entry, "pointer"), TextField(entry, "detail")});
  }
  return fields;
}

}  // namespace

Error ErrorOf(const RestResponse& response) {
  const ErrorCode code = CodeOfStatus(response.status);
  const auto problem = ParseJson(response.body);
  if (!problem || !problem->is_object()) {
    return Error(code, "the server answered with status " + std::to_string(response.status));
  }
  std::string message = TextField(*problem, "detail");
  if (message.empty()) message = TextField(*problem, "title");
  // As the Azure routes have it.
  if (message.empty() && problem->contains("error")) {
    message = TextField(problem->at("error"), "message");
  }
  if (message.empty()) message = "the server answered " + std::to_string(response.status);
  return Error(code, std::move(message), FieldsOf(*problem));
}

}  // namespace mlprof::client
