// What every call to a server shares: transport, workspace, keys, the target of the request, and
// the reading of responses, of success and of problems.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/include/mlprof/resource.h"
#include "client/include/mlprof/transport.h"
#include "client/include/mlprof/upload.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::client {

/// Builds the path and query of a request with everything percent-encoded (RFC 3986).
class Target {
 public:
  /// `path` is written by the program ("/models") and taken as it is.
  explicit Target(std::string path) : path_(std::move(path)) {}

  /// Adds "/segment", encoded.
  Target& Segment(std::string_view segment);
  /// Adds "key=value", encoded; an empty value is left out.
  Target& Query(std::string_view key, std::string_view value);
  std::string Text() const { return query_.empty() ? path_ : path_ + "?" + query_; }

 private:
  std::string path_;
  std::string query_;
};

class Connection {
 public:
  Connection(std::unique_ptr<RestTransport> transport, std::string workspace)
      : transport_(std::move(transport)), workspace_(std::move(workspace)) {}

  RestTransport& transport() { return *transport_; }

  /// Responses that are no success become their Error.
  Result<RestResponse> Call(const std::string& method, Target target);
  Result<RestResponse> CallWithJson(const std::string& method, Target target, const Json& body);
  Result<RestResponse> CallWithUpload(Target target, const Upload& upload);
  /// Writes the response's body to `file`, piece by piece.
  Status Download(Target target, const std::filesystem::path& file);
  /// Every item of a paged list.
  Result<std::vector<Json>> ListAll(const Target& target);

  /// The request as it would be sent: workspace and, on POST, an idempotency key added.
  RestRequest Prepare(const std::string& method, Target target) const;

 private:
  Result<RestResponse> Perform(const RestRequest& request);

  std::unique_ptr<RestTransport> transport_;
  std::string workspace_;
};

/// kInternal where the server's response is not JSON.
Result<Json> JsonOf(const RestResponse& response);

template <class T>
Result<Resource<T>> Decoded(const Result<RestResponse>& response,
                            Result<T> (*decode)(const Json&)) {
  if (!response) return Fail(response.error());
  MLPROF_LET(json, JsonOf(*response));
  auto value = decode(json);
  if (!value) return Fail(value.error().WithContext("the server's response"));
  return Resource<T>{std::move(*value), DumpJson(json)};
}

template <class T>
Result<ResourceList<T>> DecodedAll(const Result<std::vector<Json>>& items,
                                   Result<T> (*decode)(const Json&)) {
  if (!items) return Fail(items.error());
  ResourceList<T> list;
  for (const Json& item : *items) {
    auto value = decode(item);
    if (!value) return Fail(value.error().WithContext("the server's response"));
    list.push_back({std::move(*value), DumpJson(item)});
  }
  return list;
}

inline Status StatusOf(const Result<RestResponse>& response) {
  if (!response) return Fail(response.error());
  return {};
}

/// Turns a response that is no success into an Error (RFC 9457 problem details where it carries
/// them).
Error ErrorOf(const RestResponse& response);

}  // namespace mlprof::client
