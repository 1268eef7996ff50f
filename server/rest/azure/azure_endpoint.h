// What the handlers of the Azure ML v1 routes share: which workspace is meant, where the client
// finds the server, and errors in these clients' shape.
#pragma once

#include <string>
#include <string_view>

#include "common/json/json.h"
#include "server/rest/azure/azure_api.h"

namespace mlprof {

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

/// A page's size from query parameter `name`, 1 to 1000, `otherwise` where it is absent or odd.
int PageSize(const HttpRequest& request, const std::string& name, int otherwise);

/// Each part of a path percent-encoded.
std::string EncodeBlobPath(std::string_view path);
/// A signed address of a blob; `path` stands in it as it is given.
std::string BlobAddress(const AzureServices& azure, const AzureCall& call,
                        const std::string& container, const std::string& path, Scope scope);
/// The signature alone.
std::string BlobQuery(const AzureServices& azure, const std::string& workspace,
                      const std::string& container, Scope scope);
/// kRead where nothing more is known of the caller.
Scope CallerScope(const AzureServices& azure, const HttpRequest& request);

std::int64_t UnixSeconds();

}  // namespace mlprof
