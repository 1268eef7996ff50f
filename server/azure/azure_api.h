// The routes of Azure ML v1 (azureml-core): a translation onto the services of the native routes.
// A workspace SUBSCRIPTION/GROUP/NAME is the native one of that name.
#pragma once

#include <functional>
#include <string>

#include "common/http/router.h"
#include "server/rest/access.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {

/// Where clients of these routes find this server. Plain data. Bases have no trailing slash.
/// Without TLS both https texts are empty.
struct AzureAddress {
  std::string http_base;        // "http://127.0.0.1:8080"
  std::string https_base;       // "https://127.0.0.1:8443", or the public URL
  std::string https_authority;  // "127.0.0.1:8443"
};

class AzureRecords;
class BlobStore;
class ContentStore;
class DatasetTexts;

/// What the routes are built on. References: the owner keeps all of it alive as long as the server.
struct AzureServices {
  Services services;
  BlobStore& blobs;
  AzureRecords& records;
  DatasetTexts& texts;
  ContentStore& content;
  std::string secret;                     // signs tokens and blob addresses
  std::function<AzureAddress()> address;  // any thread; empty strings while TLS is off
};

/// Adds all of them, and the native ones below; they answer 501 while TLS is off, the native ones
/// do not.
void AddAzureRoutes(Router& router, const AzureServices& azure);
/// Before the server starts: the tokens that the MSI route gives out are accepted, and the routes
/// that ask for no token, or for a credential of their own, are left open.
void GuardAzureRoutes(AccessRules& access, const AzureServices& azure);

/// A refusal of the HTTP server or of the access rules as these clients understand it; others, and
/// those of other routes, as they are.
HttpResponse InAzureShape(HttpResponse refusal, const HttpRequest& request);

/// 32 random bytes of `file` (0600), which is made where it is missing.
Result<std::string> LoadAzureSecret(const std::filesystem::path& file);

void AddAzureBootstrapRoutes(Router& router, const AzureServices& azure);
void AddAzureTokenRoute(Router& router, const AzureServices& azure);
void AddAzureDatastoreRoutes(Router& router, const AzureServices& azure);
void AddAzureBlobRoutes(Router& router, const AzureServices& azure);
void AddAzureArtifactRoutes(Router& router, const AzureServices& azure);
void AddAzureModelRoutes(Router& router, const AzureServices& azure);
void AddAzureDatasetRoutes(Router& router, const AzureServices& azure);
void AddAzureProfileRoutes(Router& router, const AzureServices& azure);
/// Native routes of mlprof's own interface that give Azure's documents.
void AddAzureDocumentRoutes(Router& router, const AzureServices& azure);

}  // namespace mlprof::server
