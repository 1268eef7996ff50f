// What the handlers of all routes share: decode the request, call a service, encode the response,
// which may be a page of a list.
#pragma once

#include <charconv>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/http/router.h"
#include "common/json/json.h"
#include "common/result/result.h"
#include "server/rest/rest_api.h"
#include "server/storage/idempotency_keys.h"
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

/// A page of a list that is in memory already; the cursor is the index of its first item.
/// kInvalidArgument for a cursor that is none of this list.
template <class T>
Result<Page<T>> Slice(const std::vector<T>& all, const PageRequest& request) {
  std::size_t first = 0;
  if (!request.cursor.empty()) {
    const char* end = request.cursor.data() + request.cursor.size();
    const auto [stop, error] = std::from_chars(request.cursor.data(), end, first);
    if (error != std::errc() || stop != end || first > all.size()) {
      return Fail(Error(ErrorCode::kInvalidArgument, "the cursor is none this list has given",
                        {{"/cursor", "is none this list has given"}}));
    }
  }
  const std::size_t last = std::min(all.size(), first + static_cast<std::size_t>(request.top));
  Page<T> page;
  page.value.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                    all.begin() + static_cast<std::ptrdiff_t>(last));
  if (last < all.size()) page.next_cursor = std::to_string(last);
  return page;
}

}  // namespace mlprof::server
