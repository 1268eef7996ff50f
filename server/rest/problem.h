// Errors as HTTP: RFC 9457 application/problem+json, and the one table from error codes to
// statuses. Pure.
#pragma once

#include <string>

#include "common/http/message.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::server {

/// kCancelled has no status of its own in HTTP; it is answered as 503.
int HttpStatusOf(ErrorCode code);
/// The other way, for what the HTTP server refuses by itself (408, 411, 414, 431…).
ErrorCode ErrorCodeOf(int status);

/// `instance` is the path of the request.
HttpResponse ProblemResponse(const Error& error, const std::string& instance);
HttpResponse JsonResponse(int status, const Json& json);

/// The hook of HttpServer for its own refusals.
HttpResponse RefuseWithProblem(int status, const std::string& detail, const HttpRequest& request);

}  // namespace mlprof::server
