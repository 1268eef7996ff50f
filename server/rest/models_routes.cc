#include "common/json/domain_json.h"
#include "common/json/model_weights_json.h"
#include "server/registry/model_registry.h"
#include "server/registry/model_weights.h"
#include "server/rest/endpoint.h"
#include "server/rest/model_requests.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

Result<HttpResponse> RegisterModel(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  NewModel model;
  model.workspace = query.Workspace();
  model.name = query.RequiredText("name", CheckName);
  model.description = query.Text("description", CheckDescription);
  model.tags = ReadTags(query);
  MLPROF_TRY(query.Done());
  MLPROF_LET(tar, ReadTarBody(request));
  MLPROF_LET(key, ReadIdempotencyKey(request));
  MLPROF_LET(registered, services.models.Register(model, *tar, key));
  return CreatedResponse(201, EncodeModel(registered), "/models/" + registered.id, model.workspace);
}

Result<HttpResponse> ListModels(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  ModelFilter filter;
  filter.name = query.Text("name", CheckName);
  filter.tags = ReadTagFilters(query);
  MLPROF_TRY(query.Done());
  MLPROF_LET(models, services.models.List(workspace, filter, page));
  return JsonResponse(200, EncodePage(models, EncodeModel));
}

Result<HttpResponse> GetModel(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(model, services.models.Get(workspace, PathParameter(request, "id")));
  return JsonResponse(200, EncodeModel(model));
}

Result<HttpResponse> GetModelContent(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(model, services.models.Get(workspace, PathParameter(request, "id")));
  MLPROF_LET(archive, services.models.Archive(model));
  HttpResponse response;
  response.headers.Set("Content-Type", "application/x-tar");
  response.headers.Set("Content-Disposition", "attachment; filename=\"" + model.name + "-" +
                                                  std::to_string(model.version) + ".tar\"");
  response.body = FileBody{archive};
  return response;
}

Result<HttpResponse> GetModelWeights(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(model, services.models.Get(workspace, PathParameter(request, "id")));
  MLPROF_LET(files, services.models.Files(model));
  MLPROF_LET(weights, ReadModelWeights(files));
  return JsonResponse(200, EncodeModelWeights(weights));
}

Result<HttpResponse> ChangeModel(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(json, ReadJsonBody(request));
  MLPROF_LET(change, DecodeModelChange(json));
  MLPROF_LET(model, services.models.Change(workspace, PathParameter(request, "id"), change));
  return JsonResponse(200, EncodeModel(model));
}

Result<HttpResponse> DeleteModel(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_TRY(services.models.Delete(workspace, PathParameter(request, "id")));
  return NoContent();
}

}  // namespace

void AddModelRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/models", kUploadBody, Handle(services, RegisterModel)});
  router.Add({"GET", "/models", kNoBody, Handle(services, ListModels)});
  router.Add({"GET", "/models/{id}", kNoBody, Handle(services, GetModel)});
  router.Add({"GET", "/models/{id}/content", kNoBody, Handle(services, GetModelContent)});
  router.Add({"GET", "/models/{id}/weights", kNoBody, Handle(services, GetModelWeights)});
  router.Add({"PATCH", "/models/{id}", kJsonBody, Handle(services, ChangeModel)});
  router.Add({"DELETE", "/models/{id}", kNoBody, Handle(services, DeleteModel)});
}

}  // namespace mlprof::server
