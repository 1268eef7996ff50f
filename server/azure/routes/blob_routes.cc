// The blob service: PUT whole or in blocks, HEAD, GET with ranges, DELETE, lists. Whoever brings a
// signed address may; nobody else.
#include "server/azure/blobs/artifact_upload.h"
#include "server/azure/blobs/blob_path.h"
#include "server/azure/blobs/blob_store.h"
#include "server/azure/datasets/dataset_import.h"
#include "server/azure/routes/azure_endpoint.h"
#include "server/azure/routes/azure_error.h"
#include "server/azure/routes/blob_requests.h"
#include "server/azure/routes/served_blobs.h"
#include "server/registry/byte_source.h"
#include "server/rest/endpoint.h"

namespace mlprof::server {
namespace {

constexpr Bytes kLargestBlockList = MiB(8);  // 50,000 blocks with their longest ids
constexpr int kMostListed = 5000;            // a page of Azure's own service

using BlobEndpoint = HttpResponse (*)(const AzureServices& azure, const HttpRequest& request,
                                      const BlobName& name);

// The path is "" for the container itself.
HttpHandler HandleBlob(const AzureServices& azure, std::string container, BlobEndpoint endpoint) {
  return [azure, container = std::move(container), endpoint](const HttpRequest& request) {
    const auto grant = ValidGrant(azure, request, container);
    const bool writes = request.method == "PUT" || request.method == "DELETE";
    if (!grant || (writes && grant->scope != Scope::kWrite)) {
      return BlobError(403, "AuthenticationFailed",
                       "the address is not signed for this, or what it was signed for has expired");
    }
    const BlobName name{grant->workspace, container, PathParameter(request, "path")};
    if (std::string problem = name.path.empty() ? "" : CheckBlobPath(name.path); !problem.empty()) {
      return BlobError(400, "InvalidUri", "the path " + problem);
    }
    return endpoint(azure, request, name);
  };
}

void Describe(const BlobContent& content, HttpResponse& response) {
  response.headers.Set("Content-Type", "application/octet-stream");
  response.headers.Set("ETag", "\"0x" + content.tag.substr(0, 16) + "\"");
  response.headers.Set("Last-Modified", HttpDate(content.modified));
  response.headers.Set("Accept-Ranges", "bytes");
  response.headers.Set("x-ms-blob-type", "BlockBlob");
}

Result<BlobContent> Find(const AzureServices& azure, const BlobName& name) {
  if (IsServedPath(name)) return ServedBlob(azure, name);
  MLPROF_LET(blob, azure.blobs.Get(name));
  return BlobContent{std::make_shared<const std::filesystem::path>(azure.blobs.File(blob)),
                     static_cast<std::uint64_t>(blob.size.count()), blob.sha256, blob.modified};
}

FileBody Cut(const BlobContent& content, const std::optional<ByteRange>& range) {
  FileBody body{*content.file};
  body.keep = content.file;
  if (range) {
    body.offset = range->offset;
    body.length = range->length;
  }
  return body;
}

HttpResponse GetBlob(const AzureServices& azure, const HttpRequest& request, const BlobName& name) {
  const auto content = Find(azure, name);
  if (!content) return BlobError(content.error());
  HttpResponse response;
  Describe(*content, response);
  std::optional<ByteRange> range;
  if (request.method == "GET") {
    const auto asked = ReadRange(request, content->size);
    if (!asked) {
      HttpResponse refusal = BlobError(416, "InvalidRange", asked.error().message());
      refusal.headers.Set("Content-Range", "bytes */" + std::to_string(content->size));
      return refusal;
    }
    range = *asked;
  }
  if (range) {
    response.status = 206;
    response.headers.Set("Content-Range", "bytes " + std::to_string(range->offset) + "-" +
                                              std::to_string(range->offset + range->length - 1) +
                                              "/" + std::to_string(content->size));
  }
  response.body = Cut(*content, range);
  return response;
}

BlobStore::IfThere IfThereOf(const HttpRequest& request) {
  return request.headers.Get("If-None-Match").value_or("") == "*" ? BlobStore::IfThere::kRefuse
                                                                  : BlobStore::IfThere::kReplace;
}

Result<std::vector<std::string>> BlockIds(const SpooledBody& body) {
  MLPROF_LET(text, ReadWholeFile(*body.file, kLargestBlockList, "the list of blocks"));
  return ReadBlockList(text);
}

Status Store(const AzureServices& azure, const HttpRequest& request, const BlobName& name) {
  const auto* body = std::get_if<SpooledBody>(&request.body);
  if (body == nullptr) return Fail(InvalidArgument("a body is missing"));
  MLPROF_TRY(CheckBodyDigest(request, *body));
  const std::string what = request.Query("comp").value_or("");
  if (what == "block") {
    const std::string id = request.Query("blockid").value_or("");
    if (id.empty() || id.size() > 128) return Fail(InvalidArgument("blockid is missing or long"));
    return azure.blobs.PutBlock(name, id, *body);
  }
  if (what == "blocklist") {
    MLPROF_LET(ids, BlockIds(*body));
    return azure.blobs.Join(name, ids, IfThereOf(request));
  }
  const std::string type = request.headers.Get("x-ms-blob-type").value_or("BlockBlob");
  if (!what.empty() || type != "BlockBlob") {
    return Fail(InvalidArgument("only block blobs are kept here, without properties of theirs"));
  }
  return azure.blobs.Put(name, *body, IfThereOf(request));
}

HttpResponse PutBlob(const AzureServices& azure, const HttpRequest& request, const BlobName& name) {
  if (IsServedPath(name)) {
    return BlobError(409, "BlobAlreadyExists",
                     "what lies there is made by mlprof from its models and datasets");
  }
  if (Status stored = Store(azure, request, name); !stored) return BlobError(stored.error());
  HttpResponse response;
  response.status = 201;
  return response;
}

HttpResponse RemoveBlob(const AzureServices& azure, const HttpRequest&, const BlobName& name) {
  if (IsServedPath(name)) {
    return BlobError(409, "BlobIsReadOnly",
                     "what lies there is made by mlprof from its models and datasets");
  }
  if (Status removed = azure.blobs.Remove(name); !removed) return BlobError(removed.error());
  HttpResponse response;
  response.status = 202;
  return response;
}

HttpResponse ListContainer(const AzureServices& azure, const HttpRequest& request,
                           const BlobName& name) {
  if (request.Query("comp").value_or("") != "list") {
    return BlobError(400, "InvalidQueryParameterValue", "only comp=list is answered here");
  }
  const BlobName under{name.workspace, name.container, request.Query("prefix").value_or("")};
  const PageRequest page{PageSize(request, "maxresults", kMostListed),
                         request.Query("marker").value_or("")};
  const auto blobs = azure.blobs.List(under, page);
  if (!blobs) return BlobError(blobs.error());
  return TextResponse(200, "application/xml",
                      BlobListXml(azure.address().https_base, name.container, under.path,
                                  blobs->value, blobs->next_cursor.value_or("")));
}

}  // namespace

void AddAzureBlobRoutes(Router& router, const AzureServices& azure) {
  for (const std::string container : {kDatastoreContainer, kArtifactContainer}) {
    const std::string root = "/" + container;
    router.Add({"GET", root, kNoBody, HandleBlob(azure, container, ListContainer)});
    router.Add({"GET", root + "/{path...}", kNoBody, HandleBlob(azure, container, GetBlob)});
    router.Add({"PUT", root + "/{path...}", kUploadBody, HandleBlob(azure, container, PutBlob)});
    router.Add({"DELETE", root + "/{path...}", kNoBody, HandleBlob(azure, container, RemoveBlob)});
  }
}

}  // namespace mlprof::server
