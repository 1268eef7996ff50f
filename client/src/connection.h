// What every call to a server shares: transport, workspace, keys, and the reading of answers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "client/include/mlprof/resource.h"
#include "client/include/mlprof/transport.h"
#include "client/include/mlprof/upload.h"
#include "client/src/target.h"
#include "common/json/json.h"

namespace mlprof::client {

class Connection {
 public:
  Connection(std::unique_ptr<RestTransport> transport, std::string workspace)
      : transport_(std::move(transport)), workspace_(std::move(workspace)) {}

  RestTransport& transport() { return *transport_; }

  /// Answers that are no success become their Error.
  Result<RestResponse> Call(const std::string& method, Target target);
  Result<RestResponse> CallWithJson(const std::string& method, Target target, const Json& body);
  Result<RestResponse> CallWithUpload(Target target, const Upload& upload);
  /// Writes the answer's body to `file`, piece by piece.
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

/// kInternal where the server's answer is not JSON.
Result<Json> JsonOf(const RestResponse& response);

template <class T>
Result<Resource<T>> Decoded(const Result<RestResponse>& response,
                            Result<T> (*decode)(const Json&)) {
  if (!response) return Fail(response.error());
  MLPROF_LET(json, JsonOf(*response));
  auto value = decode(json);
  if (!value) return Fail(value.error().WithContext("the server's answer"));
  return Resource<T>{std::move(*value), DumpJson(json)};
}

template <class T>
Result<ResourceList<T>> DecodedAll(const Result<std::vector<Json>>& items,
                                   Result<T> (*decode)(const Json&)) {
  if (!items) return Fail(items.error());
  ResourceList<T> list;
  for (const Json& item : *items) {
    auto value = decode(item);
    if (!value) return Fail(value.error().WithContext("the server's answer"));
    list.push_back({std::move(*value), DumpJson(item)});
  }
  return list;
}

inline Status StatusOf(const Result<RestResponse>& response) {
  if (!response) return Fail(response.error());
  return {};
}

}  // namespace mlprof::client
