// Errors as HTTP: RFC 9457 application/problem+json. Pure.
#pragma once

#include <string>

#include "common/http/message.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof::server {

/// `instance` is the path of the request.
HttpResponse ProblemResponse(const Error& error, const std::string& instance);
HttpResponse JsonResponse(int status, const Json& json);

/// The hook of HttpServer for its own refusals.
HttpResponse RefuseWithProblem(int status, const std::string& detail, const HttpRequest& request);

}  // namespace mlprof::server
