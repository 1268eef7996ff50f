#include "server/rest/problem.h"

#include "common/result/http_status.h"

namespace mlprof::server {
namespace {

const char* Title(int status) {
  switch (status) {
    case 400: return "Bad request";
    case 401: return "Not authenticated";
    case 403: return "Forbidden";
    case 404: return "Not found";
    case 405: return "Method not allowed";
    case 408: return "Request timed out";
    case 409: return "Conflict";
    case 411: return "Length required";
    case 413: return "Too large";
    case 414: return "Address too long";
    case 415: return "Unsupported media type";
    case 417: return "Expectation failed";
    case 422: return "Idempotency key reused";
    case 429: return "Too many requests";
    case 431: return "Headers too large";
    case 501: return "Not available";
    case 503: return "Unavailable";
    case 504: return "Took too long";
    case 505: return "HTTP version not supported";
    default: return "Internal error";
  }
}

HttpResponse Problem(int status, std::string_view code, const std::string& detail,
                     const std::vector<FieldError>& fields, const std::string& instance) {
  Json json = {{"type", "urn:mlprof:error:" + std::string(code)},
               {"title", Title(status)},
               {"status", status},
               {"detail", detail}};
  if (!instance.empty()) json["instance"] = instance;
  if (!fields.empty()) {
    Json& errors = json["errors"] = Json::array();
    for (const FieldError& field : fields) {
      errors.push_back({{"pointer", field.pointer}, {"detail", field.detail}});
    }
  }
  return TextResponse(status, "application/problem+json", DumpJson(json));
}

// Refusals that no ErrorCode names have codes of their own.
std::string_view CodeOf(int status) {
  switch (status) {
    case 405: return "methodNotAllowed";
    case 408: return "requestTimeout";
    case 411: return "lengthRequired";
    case 414: return "uriTooLong";
    case 417: return "expectationFailed";
    case 431: return "headersTooLarge";
    case 505: return "httpVersionNotSupported";
    default: return Name(ErrorCodeOf(status));
  }
}

}  // namespace

HttpResponse ProblemResponse(const Error& error, const std::string& instance) {
  return Problem(HttpStatusOf(error.code()), Name(error.code()), error.message(), error.fields(),
                 instance);
}

HttpResponse JsonResponse(int status, const Json& json) {
  return TextResponse(status, "application/json", DumpJson(json));
}

HttpResponse RefuseWithProblem(int status, const std::string& detail, const HttpRequest& request) {
  return Problem(status, CodeOf(status), detail, {}, request.path);
}

}  // namespace mlprof::server
