#include "server/azure/routes/azure_endpoint.h"

#include <charconv>

#include "common/hash/sha256.h"
#include "common/log/log.h"
#include "common/text/percent.h"
#include "common/time/timestamp.h"
#include "server/azure/routes/azure_error.h"
#include "server/azure/routes/credentials.h"
#include "server/rest/endpoint.h"
#include "server/storage/names.h"
#include "server/storage/tokens.h"

namespace mlprof::server {
namespace {

// Long enough for a script that waits for its profile, short for what may end up in a log.
constexpr std::int64_t kBlobGrantSeconds = 86'400;

Result<HttpResponse> Ask(const AzureServices& azure, AzureEndpoint endpoint,
                         const HttpRequest& request) {
  AzureCall call{request, "", azure.address()};
  if (call.address.https_base.empty()) {
    return Fail(ErrorCode::kNotAvailable,
                "Azure ML's clients need TLS: start mlprof-server with --tls-listen");
  }
  if (request.path_parameters.contains("subscription")) {
    call.workspace = PathParameter(request, "subscription") + "/" +
                     PathParameter(request, "group") + "/" + PathParameter(request, "workspace");
    if (!IsValidWorkspace(call.workspace)) {
      return Fail(InvalidArgument(
          "subscription, resource group and workspace are names of letters, digits, '-', '_' and "
          "'.' here, each starting with a letter or digit"));
    }
  }
  return endpoint(azure, call);
}

}  // namespace

HttpHandler HandleAzure(const AzureServices& azure, AzureEndpoint endpoint) {
  return [azure, endpoint](const HttpRequest& request) {
    auto response = Ask(azure, endpoint, request);
    if (response) return std::move(*response);
    if (response.error().code() == ErrorCode::kInternal) {
      LogError("request failed", {{"method", request.method},
                                  {"path", request.path},
                                  {"why", response.error().message()}});
    }
    return AzureError(response.error());
  };
}

std::string WorkspacePath(const std::string& workspace) {
  const std::size_t first = workspace.find('/');
  const std::size_t second = workspace.find('/', first + 1);
  return "/subscriptions/" + workspace.substr(0, first) + "/resourceGroups/" +
         workspace.substr(first + 1, second - first - 1) +
         "/providers/Microsoft.MachineLearningServices/workspaces/" + workspace.substr(second + 1);
}

Result<Json> ReadAzureObject(const HttpRequest& request) {
  auto json = ParseJson(request.BodyText());
  if (json && !json->is_object()) return Fail(InvalidArgument("the body must be a JSON object"));
  return json;
}

Result<std::string> TextMember(const Json& json, const std::string& key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::string();
  if (!found->is_string()) return Fail(InvalidArgument(key + " must be a string"));
  return found->get<std::string>();
}

IdempotencyKey RetryKey(const AzureCall& call) {
  const std::string digest = Sha256Hex(call.request.path + "\n" + call.request.BodyText());
  return {"azure-" + digest, digest};
}

int PageSize(const HttpRequest& request, const std::string& name, int otherwise) {
  const std::string text = request.Query(name).value_or("");
  int size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const bool good = error == std::errc() && end == text.data() + text.size() && size >= 1;
  return good ? std::min(size, 1000) : otherwise;
}

std::string BlobQuery(const AzureServices& azure, const std::string& workspace,
                      const std::string& container, const Caller& caller) {
  return SignBlobGrant(azure.secret, {workspace, container, caller.scope,
                                      UnixSeconds() + kBlobGrantSeconds, caller.token_id});
}

std::string BlobAddress(const AzureServices& azure, const AzureCall& call,
                        const std::string& container, const std::string& path,
                        const Caller& caller) {
  return "https://mlprof.blob.x@" + call.address.https_authority + "/" + container + "/" + path +
         "?" + BlobQuery(azure, call.workspace, container, caller);
}

Caller CallerOf(const AzureServices& azure, const HttpRequest& request) {
  Caller caller;
  caller.scope = azure.services.access.ScopeOf(request).value_or(Scope::kRead);
  const std::string bearer = BearerOf(request);
  if (bearer.empty()) return caller;
  if (const auto claims = ReadToken(azure.secret, bearer, UnixSeconds())) {
    caller.token_id = claims->token_id;
  } else if (const auto token = azure.services.tokens.Identify(bearer)) {
    caller.token_id = token->id;
  }
  return caller;
}

std::optional<BlobGrant> ValidGrant(const AzureServices& azure, const HttpRequest& request,
                                    const std::string& container) {
  auto grant = ReadBlobGrant(azure.secret, request, container, UnixSeconds());
  if (grant && !grant->token_id.empty() && !azure.services.tokens.IsValid(grant->token_id)) {
    return std::nullopt;
  }
  return grant;
}

std::int64_t UnixSeconds() {
  return std::chrono::floor<std::chrono::seconds>(Now()).time_since_epoch().count();
}

}  // namespace mlprof::server
