// What the handlers of the Azure ML v1 routes share: which workspace is meant, where the client
// finds the server, and errors in these clients' shape.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/json/json.h"
#include "server/azure/azure_api.h"
#include "server/azure/routes/credentials.h"
#include "server/storage/idempotency_keys.h"

namespace mlprof::server {

struct AzureCall {
  const HttpRequest& request;
  std::string workspace;  // "SUBSCRIPTION/GROUP/NAME"; "" on routes without one
  AzureAddress address;
};

using AzureEndpoint = Result<HttpResponse> (*)(const AzureServices& azure, const AzureCall& call);
/// 501 while TLS is off, 400 for names that cannot be a workspace's, else what `endpoint` says.
HttpHandler HandleAzure(const AzureServices& azure, AzureEndpoint endpoint);

/// The path of every route of a workspace, as a pattern and filled in.
inline constexpr const char* kWorkspacePattern =
    "/subscriptions/{subscription}/resourceGroups/{group}/providers/"
    "Microsoft.MachineLearningServices/workspaces/{workspace}";
std::string WorkspacePath(const std::string& workspace);

/// The body, whatever its Content-Type: these clients send a dozen. An object, or kInvalidArgument.
Result<Json> ReadAzureObject(const HttpRequest& request);
/// A member that is a string; "" where it is absent or null. kInvalidArgument else.
Result<std::string> TextMember(const Json& json, const std::string& key);

/// The key of a request that makes something of uploads. A client that got no response asks again
/// with the same body; two that are meant never have the same, for each names uploads of its own.
IdempotencyKey RetryKey(const AzureCall& call);

/// A page's size from query parameter `name`, 1 to 1000, `otherwise` where it is absent or odd.
int PageSize(const HttpRequest& request, const std::string& name, int otherwise);

/// Whom a signed address is for.
struct Caller {
  Scope scope = Scope::kRead;  // where nothing more is known
  std::string token_id;        // of the server's token it brings, or was given one for; "": none
};
Caller CallerOf(const AzureServices& azure, const HttpRequest& request);
/// A signed address of a blob; `path` stands in it as it is given. It ends with the caller's token.
std::string BlobAddress(const AzureServices& azure, const AzureCall& call,
                        const std::string& container, const std::string& path,
                        const Caller& caller);
/// The signature alone.
std::string BlobQuery(const AzureServices& azure, const std::string& workspace,
                      const std::string& container, const Caller& caller);
/// What the address of a request for a blob of `container` still allows.
std::optional<BlobGrant> ValidGrant(const AzureServices& azure, const HttpRequest& request,
                                    const std::string& container);

std::int64_t UnixSeconds();

}  // namespace mlprof::server
