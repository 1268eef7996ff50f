#include "server/azure/azure_api.h"

#include <fcntl.h>
#include <sys/random.h>

#include <array>
#include <cerrno>

#include "common/json/json.h"
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/datasets/dataset_import.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/azure_error.h"
#include "server/azure/routes/credentials.h"
#include "server/registry/byte_source.h"
#include "server/storage/durable_file.h"
#include "server/storage/tokens.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kSecretBytes = 32;

// The container a path names; "" where it is none of ours.
std::string ContainerOf(const std::string& path) {
  for (const char* container : {kDatastoreContainer, kArtifactContainer}) {
    const std::string root = std::string("/") + container;
    if (path == root || path.starts_with(root + "/")) return container;
  }
  return "";
}

bool IsRead(const std::string& method) { return method == "GET" || method == "HEAD"; }

bool BringsGrant(const AzureServices& azure, const HttpRequest& request) {
  const std::string container = ContainerOf(request.path);
  if (container.empty()) return false;
  const auto grant = ValidGrant(azure, request, container);
  return grant && (grant->scope == Scope::kWrite || IsRead(request.method));
}

bool IsAzurePath(const std::string& path) {
  for (const char* start :
       {"/subscriptions", "/datastore/v1.0/", "/artifact/v2.0/", "/dataset/v1.0/", "/data/v1.0/",
        "/modelmanagement/v1.0/", "/metadata/endpoints", "/discovery", "/msi/token"}) {
    if (path.starts_with(start)) return true;
  }
  return false;
}

Result<std::string> MakeSecret(const std::filesystem::path& file) {
  std::string secret(kSecretBytes, '\0');
  while (getrandom(secret.data(), secret.size(), 0) < 0 && errno == EINTR) {
  }
  const std::filesystem::path unfinished = file.string() + ".new";
  {
    const FileDescriptor fd(
        open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return Fail(FromErrno(errno, "creating " + unfinished.string()));
    MLPROF_TRY(WriteAll(fd.get(), secret));
  }
  MLPROF_TRY(SyncPath(unfinished));
  MLPROF_TRY(RenameDurably(unfinished, file));
  return secret;
}

}  // namespace

void AddAzureRoutes(Router& router, const AzureServices& azure) {
  AddAzureBootstrapRoutes(router, azure);
  AddAzureTokenRoute(router, azure);
  AddAzureDatastoreRoutes(router, azure);
  AddAzureBlobRoutes(router, azure);
  AddAzureArtifactRoutes(router, azure);
  AddAzureModelRoutes(router, azure);
  AddAzureDatasetRoutes(router, azure);
  AddAzureProfileRoutes(router, azure);
  AddAzureDocumentRoutes(router, azure);
}

void GuardAzureRoutes(AccessRules& access, const AzureServices& azure) {
  const std::string secret = azure.secret;
  const TokenRepository& tokens = azure.services.tokens;
  access.AcceptBearer([secret, &tokens](std::string_view token) -> std::optional<Scope> {
    const auto claims = ReadToken(secret, token, UnixSeconds());
    if (!claims) return std::nullopt;
    // A token of the MSI route ends when the server's token that it was made for does.
    if (!claims->token_id.empty() && !tokens.IsValid(claims->token_id)) return std::nullopt;
    return claims->scope;
  });
  access.LeaveOpen([](const HttpRequest& request) {
    // The first two are addresses that every client reads before it has a token, and hold no
    // secret; the last asks for a credential itself.
    if (request.path == "/metadata/endpoints" || request.path == "/discovery") {
      return IsRead(request.method);
    }
    return request.path == "/msi/token";
  });
  access.AcceptCredential(
      [azure](const HttpRequest& request) { return BringsGrant(azure, request); });
}

HttpResponse InAzureShape(HttpResponse refusal, const HttpRequest& request) {
  const auto* text = std::get_if<std::string>(&refusal.body);
  const bool problem = refusal.headers.Get("Content-Type") == "application/problem+json";
  if (text == nullptr || !problem) return refusal;
  const auto json = ParseJson(*text);
  const std::string detail = json ? json->value("detail", "") : "";
  const bool blob = !ContainerOf(request.path).empty();
  if (!blob && !IsAzurePath(request.path)) return refusal;
  const bool unknown = refusal.status == 401 || refusal.status == 403;
  HttpResponse response =
      blob ? BlobError(refusal.status, unknown ? "AuthenticationFailed" : "InvalidInput", detail)
           : AzureError(refusal.status, unknown ? "Unauthorized" : "UserError",
                        Error(ErrorCode::kInvalidArgument, detail));
  for (const char* kept : {"Allow", "WWW-Authenticate"}) {
    if (const auto value = refusal.headers.Get(kept)) response.headers.Set(kept, *value);
  }
  return response;
}

Result<std::string> LoadAzureSecret(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return MakeSecret(file);
  MLPROF_LET(source, FileSource::Open(file));
  std::string secret(kSecretBytes, '\0');
  MLPROF_LET(got, ReadFully(*source, secret));
  if (got == secret.size()) return secret;
  return Fail(Internal(file.string() + " is cut short; remove it, and a new one is made"));
}

}  // namespace mlprof::server
