#include "client/src/connection.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "client/src/json_fields.h"
#include "client/src/random_key.h"
#include "common/result/http_status.h"
#include "common/text/percent.h"

namespace mlprof::client {
namespace {

// The responses of a trusted server: the rows of a large dataset, the series of a long profile.
constexpr JsonLimits kResponseLimits{256U << 20, 64, 20'000'000};
constexpr std::chrono::minutes kUploadSilence{
    10};  // the server unpacks and hashes before it answers

}  // namespace

RestRequest Connection::Prepare(const std::string& method, Target target) const {
  RestRequest request;
  request.method = method;
  if (workspace_ != "default") target.Query("workspace", workspace_);
  request.target = target.Text();
  if (method == "POST") request.headers["Idempotency-Key"] = RandomUuid();
  return request;
}

Result<RestResponse> Connection::Perform(const RestRequest& request) {
  auto response = transport_->Send(request);
  if (!response) return response;
  if (!response->ok()) return Fail(ErrorOf(*response));
  return response;
}

Result<RestResponse> Connection::Call(const std::string& method, Target target) {
  return Perform(Prepare(method, std::move(target)));
}

Result<RestResponse> Connection::CallWithJson(const std::string& method, Target target,
                                              const Json& body) {
  RestRequest request = Prepare(method, std::move(target));
  request.headers["Content-Type"] = "application/json";
  request.body = DumpJson(body);
  return Perform(request);
}

Result<RestResponse> Connection::CallWithUpload(Target target, const Upload& upload) {
  std::error_code error;
  const auto size = std::filesystem::file_size(upload.file, error);
  if (error) {
    return Fail(InvalidArgument("cannot read " + upload.file.string() + ": " + error.message()));
  }
  RestRequest request = Prepare("POST", std::move(target));
  request.headers["Content-Type"] = upload.content_type;
  request.body_file = upload.file;
  request.idle_timeout = kUploadSilence;
  if (upload.on_progress) {
    request.on_sent = [&upload, size](std::int64_t sent) {
      upload.on_progress(Bytes(sent), Bytes(static_cast<std::int64_t>(size)));
    };
  }
  return Perform(request);
}

Status Connection::Download(Target target, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) return Fail(FromErrno(errno, "cannot write " + file.string()));
  const RestRequest request = Prepare("GET", std::move(target));
  const auto response = transport_->Stream(request, [&out](std::string_view piece) {
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    return out.good();
  });
  if (!out) return Fail(Unavailable("cannot write " + file.string() + ": is the disk full?"));
  if (!response) return Fail(response.error());
  if (!response->ok()) return Fail(ErrorOf(*response));
  out.close();
  if (!out) return Fail(Unavailable("cannot write " + file.string() + ": is the disk full?"));
  return {};
}

Result<std::vector<Json>> Connection::ListAll(const Target& target) {
  std::vector<Json> items;
  std::string cursor;
  do {
    MLPROF_LET(response, Call("GET", Target(target).Query("cursor", cursor)));
    MLPROF_LET(json, JsonOf(response));
    const auto value = json.find("value");
    if (value == json.end() || !value->is_array()) {
      return Fail(Internal("the server's response is no list"));
    }
    for (Json& item : *value) items.push_back(std::move(item));
    std::string next = TextField(json, "nextCursor");
    if (next == cursor) break;  // also a server that would repeat itself for ever
    cursor = std::move(next);
  } while (!cursor.empty());
  return items;
}

Result<Json> JsonOf(const RestResponse& response) {
  auto json = ParseJson(response.body, kResponseLimits);
  if (!json || !json->is_object()) {
    return Fail(Internal("the server's response is not the JSON of this interface"));
  }
  return json;
}

Target& Target::Segment(std::string_view segment) {
  path_ += '/';
  path_ += PercentEncode(segment);
  return *this;
}

Target& Target::Query(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  if (!query_.empty()) query_ += '&';
  query_ += PercentEncode(key) + "=" + PercentEncode(value);
  return *this;
}

namespace {

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
  const ErrorCode code = ErrorCodeOf(response.status);
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
