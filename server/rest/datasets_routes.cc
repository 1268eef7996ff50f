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
  const auto key = ReadIdempotencyKey(request);
  if (!key) return Fail(key.error());
  const auto registered = services.datasets.Register(dataset, *body, *key);
  if (!registered) return Fail(registered.error());
  return CreatedResponse(201, EncodeDataset(*registered), "/datasets/" + registered->id,
                         dataset.workspace);
}

Result<HttpResponse> ListDatasets(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  const std::string name = query.Text("name", CheckName);
  MLPROF_TRY(query.Done());
  const auto datasets = services.datasets.List(workspace, name, page);
  if (!datasets) return Fail(datasets.error());
  return JsonResponse(200, EncodePage(*datasets, EncodeDataset));
}

Result<HttpResponse> GetDataset(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  const auto dataset = services.datasets.Get(workspace, PathParameter(request, "id"));
  if (!dataset) return Fail(dataset.error());
  return JsonResponse(200, EncodeDataset(*dataset));
}

Result<HttpResponse> ListRows(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  const auto dataset = services.datasets.Get(workspace, PathParameter(request, "id"));
  if (!dataset) return Fail(dataset.error());
  const auto rows = services.datasets.ReadRowsPage(*dataset, page);
  if (!rows) return Fail(rows.error());
  return JsonResponse(200, EncodePage(*rows, EncodeRow));
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
  router.Add({"GET", "/datasets/{id}/rows", kNoBody, Handle(services, ListRows)});
  router.Add({"DELETE", "/datasets/{id}", kNoBody, Handle(services, DeleteDataset)});
}

}  // namespace mlprof::server
