#include "common/json/domain_json.h"
#include "common/text/base64.h"
#include "common/text/utf8.h"
#include "server/registry/dataset_registry.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

// A row is any bytes; JSON text is UTF-8 only.
Json EncodeRow(const std::string& row) {
  if (!FirstInvalidUtf8(row)) return row;
  return {{"base64", EncodeBase64(row)}};
}

Result<HttpResponse> RegisterDataset(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  NewDataset dataset;
  dataset.workspace = query.Workspace();
  dataset.name = query.RequiredText("name", CheckName);
  dataset.description = query.Text("description", CheckDescription);
  MLPROF_TRY(query.Done());
  dataset.content_type = request.headers.Get("Content-Type").value_or("");
  const auto* body = std::get_if<SpooledBody>(&request.body);
  if (body == nullptr) return Fail(InvalidArgument("the body must hold the rows"));
  MLPROF_LET(key, ReadIdempotencyKey(request));
  MLPROF_LET(registered, services.datasets.Register(dataset, *body, key));
  return CreatedResponse(201, EncodeDataset(registered), "/datasets/" + registered.id,
                         dataset.workspace);
}

Result<HttpResponse> ListDatasets(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  const std::string name = query.Text("name", CheckName);
  MLPROF_TRY(query.Done());
  MLPROF_LET(datasets, services.datasets.List(workspace, name, page));
  return JsonResponse(200, EncodePage(datasets, EncodeDataset));
}

Result<HttpResponse> GetDataset(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(dataset, services.datasets.Get(workspace, PathParameter(request, "id")));
  return JsonResponse(200, EncodeDataset(dataset));
}

Result<HttpResponse> ListDatasetRows(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_LET(dataset, services.datasets.Get(workspace, PathParameter(request, "id")));
  MLPROF_LET(rows, services.datasets.ReadRowsPage(dataset, page));
  return JsonResponse(200, EncodePage(rows, EncodeRow));
}

Result<HttpResponse> DeleteDataset(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.datasets.Delete(workspace, PathParameter(request, "id")));
  return NoContent();
}

}  // namespace

void AddDatasetRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/datasets", kUploadBody, Handle(services, RegisterDataset)});
  router.Add({"GET", "/datasets", kNoBody, Handle(services, ListDatasets)});
  router.Add({"GET", "/datasets/{id}", kNoBody, Handle(services, GetDataset)});
  router.Add({"GET", "/datasets/{id}/rows", kNoBody, Handle(services, ListDatasetRows)});
  router.Add({"DELETE", "/datasets/{id}", kNoBody, Handle(services, DeleteDataset)});
}

}  // namespace mlprof::server
