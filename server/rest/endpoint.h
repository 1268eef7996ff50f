// What the handlers of all routes share: decode the request, call a service, encode the answer.
#pragma once

#include <functional>
#include <string>

#include "common/http/router.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "server/rest/services.h"
#include "server/storage/idempotency.h"
#include "server/storage/page.h"

namespace mlprof::server {

/// A handler whose error becomes a problem document.
using Endpoint = Result<HttpResponse> (*)(const Services& services, const HttpRequest& request);
HttpHandler Handle(const Services& services, Endpoint endpoint);
/// The same for one that keeps what it is built on.
HttpHandler Handle(std::function<Result<HttpResponse>(const HttpRequest& request)> endpoint);

inline constexpr BodyPolicy kNoBody{BodyPolicy::Kind::kNone};
inline constexpr BodyPolicy kJsonBody{BodyPolicy::Kind::kBuffered, MiB(1)};
/// As much as the files of a model may hold unpacked (TarLimits).
inline constexpr BodyPolicy kUploadBody{BodyPolicy::Kind::kSpooled, GiB(16)};

/// The decoded path parameter {name}.
const std::string& PathParameter(const HttpRequest& request, const std::string& name);
/// kUnsupportedMedia unless it is application/json (or says nothing); kInvalidArgument.
Result<Json> ReadJsonBody(const HttpRequest& request);
/// The header Idempotency-Key with the digest of everything the request asks for.
Result<IdempotencyKey> ReadIdempotencyKey(const HttpRequest& request);
/// kUnsupportedMedia unless the body is a tar or a gzip file.
Result<const SpooledBody*> ReadTarBody(const HttpRequest& request);

/// 201 or 202 with Location; `path` is without the workspace, which is added where it is not the
/// default one.
HttpResponse CreatedResponse(int status, const Json& json, const std::string& path,
                             const std::string& workspace);
HttpResponse NoContent();

template <class T>
Json EncodePage(const Page<T>& page, Json (*encode)(const T&)) {
  Json value = Json::array();
  for (const T& item : page.value) value.push_back(encode(item));
  return {{"value", std::move(value)},
          {"nextCursor", page.next_cursor ? Json(*page.next_cursor) : Json(nullptr)}};
}

}  // namespace mlprof::server
