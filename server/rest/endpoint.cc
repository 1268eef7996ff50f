#include "server/rest/endpoint.h"

#include <algorithm>

#include "common/hash/sha256.h"
#include "common/log/log.h"
#include "common/text/percent.h"
#include "server/registry/content_type.h"
#include "server/rest/problem.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kLongestKey = 255;

bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }

std::string BodyDigest(const HttpRequest& request) {
  const auto* spooled = std::get_if<SpooledBody>(&request.body);
  return spooled ? spooled->sha256 : Sha256Hex(request.BodyText());
}

Error UnsupportedMedia(const std::string& type, const std::string& wanted) {
  return Error(ErrorCode::kUnsupportedMedia,
               (type.empty() ? "no Content-Type was given" : "the Content-Type is " + type) +
                   "; it must be " + wanted);
}

}  // namespace

HttpHandler Handle(const Services& services, Endpoint endpoint) {
  return Handle(
      [services, endpoint](const HttpRequest& request) { return endpoint(services, request); });
}

HttpHandler Handle(std::function<Result<HttpResponse>(const HttpRequest& request)> endpoint) {
  return [endpoint = std::move(endpoint)](const HttpRequest& request) {
    auto response = endpoint(request);
    if (response) return std::move(*response);
    if (response.error().code() == ErrorCode::kInternal) {
      LogError("request failed", {{"method", request.method},
                                  {"path", request.path},
                                  {"why", response.error().message()}});
    }
    return ProblemResponse(response.error(), request.path);
  };
}

const std::string& PathParameter(const HttpRequest& request, const std::string& name) {
  static const std::string kNone;
  const auto found = request.path_parameters.find(name);
  return found == request.path_parameters.end() ? kNone : found->second;
}

Result<Json> ReadJsonBody(const HttpRequest& request) {
  const auto header = request.headers.Get("Content-Type");
  const std::string type = header ? ParseContentType(*header).type : "application/json";
  if (type != "application/json") return Fail(UnsupportedMedia(type, "application/json"));
  return ParseJson(request.BodyText());
}

Result<IdempotencyKey> ReadIdempotencyKey(const HttpRequest& request) {
  const auto keys = request.headers.GetAll("Idempotency-Key");
  if (keys.empty()) return IdempotencyKey{};
  const std::string& key = keys.front();
  if (keys.size() > 1 || key.empty() || key.size() > kLongestKey ||
      !std::all_of(key.begin(), key.end(), IsVisible)) {
    return Fail(InvalidArgument("Idempotency-Key must be 1 to 255 visible ASCII characters"));
  }
  const std::string asked = request.method + "\n" + request.target + "\n" + BodyDigest(request);
  return IdempotencyKey{key, Sha256Hex(asked)};
}

Result<const SpooledBody*> ReadTarBody(const HttpRequest& request) {
  const std::string type = ParseContentType(request.headers.Get("Content-Type").value_or("")).type;
  if (type != "application/x-tar" && type != "application/gzip" && type != "application/x-gzip") {
    return Fail(UnsupportedMedia(type, "application/x-tar or application/gzip"));
  }
  const auto* body = std::get_if<SpooledBody>(&request.body);
  if (body == nullptr) return Fail(InvalidArgument("the body must be a tar"));
  return body;
}

HttpResponse CreatedResponse(int status, const Json& json, const std::string& path,
                             const std::string& workspace) {
  HttpResponse response = JsonResponse(status, json);
  const std::string query = workspace == "default" ? "" : "?workspace=" + PercentEncode(workspace);
  response.headers.Set("Location", path + query);
  return response;
}

HttpResponse NoContent() {
  HttpResponse response;
  response.status = 204;
  return response;
}

}  // namespace mlprof::server
