#include "server/azure/routes/azure_error.h"

#include "common/json/json.h"
#include "common/log/log.h"
#include "common/result/http_status.h"
#include "server/rest/problem.h"
#include "server/storage/random_id.h"

namespace mlprof::server {
namespace {

// What these clients wait by themselves after a 503 without the header.
constexpr const char* kRetryAfterSeconds = "10";

std::string CodeOf(int status) {
  switch (status) {
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 409: return "Conflict";
    case 501: return "NotAvailable";
    default: return status >= 500 ? "ServiceError" : "UserError";
  }
}

std::string BlobCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound: return "BlobNotFound";
    case ErrorCode::kConflict: return "BlobAlreadyExists";
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kPermissionDenied: return "AuthenticationFailed";
    case ErrorCode::kInvalidArgument: return "InvalidInput";
    default: return "InternalError";
  }
}

}  // namespace

int AzureStatusOf(ErrorCode code) {
  return code == ErrorCode::kResourceExhausted ? 503 : HttpStatusOf(code);
}

std::string MessageWithFields(const Error& error) {
  std::string message = error.message();
  for (const FieldError& field : error.fields()) {
    const std::string told = field.pointer + " " + field.detail;
    if (message.find(told) == std::string::npos) message += "; " + told;
  }
  return message;
}

HttpResponse AzureError(int status, const std::string& code, const Error& error) {
  const std::string message = MessageWithFields(error);
  Json details = Json::array();
  for (const FieldError& field : error.fields()) {
    details.push_back({{"code", field.pointer}, {"message", field.detail}});
  }
  return JsonResponse(status, {{"code", code},
                               {"statusCode", status},
                               {"message", message},
                               {"details", details},
                               {"error", {{"code", code}, {"message", message}}},
                               {"correlation", {{"RequestId", RandomId()}}}});
}

HttpResponse AzureError(const Error& error) {
  const int status = AzureStatusOf(error.code());
  HttpResponse response = AzureError(status, CodeOf(status), error);
  if (error.code() == ErrorCode::kResourceExhausted) {
    response.headers.Set("Retry-After", kRetryAfterSeconds);
  }
  return response;
}

std::string EscapeXml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

HttpResponse BlobError(int status, const std::string& code, const std::string& message) {
  HttpResponse response =
      TextResponse(status, "application/xml",
                   "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + EscapeXml(code) +
                       "</Code><Message>" + EscapeXml(message) + "</Message></Error>");
  response.headers.Set("x-ms-error-code", code);
  return response;
}

HttpResponse BlobError(const Error& error) {
  if (error.code() == ErrorCode::kInternal) {
    // What went wrong inside names files that are nobody else's business.
    LogError("a blob request failed", {{"why", error.message()}});
    return BlobError(500, "InternalError", "the server could not do this; its log says why");
  }
  return BlobError(AzureStatusOf(error.code()), BlobCodeOf(error.code()), error.message());
}

}  // namespace mlprof::server
