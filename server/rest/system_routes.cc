// Health, readiness, version, metrics, the description of the interface, workspaces and the page.
#include "server/metrics/controller_metrics.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/openapi_document.h"
#include "server/rest/overview_page.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

constexpr int kProfilesOnPage = 100;

Result<HttpResponse> GetHealth(const Services&, const HttpRequest&) {
  return JsonResponse(200, {{"status", "ok"}});
}

Result<HttpResponse> GetReadiness(const Services& services, const HttpRequest&) {
  const Status ready = services.ready();
  if (!ready) return Fail(ErrorCode::kUnavailable, ready.error().message());
  return JsonResponse(200, {{"status", "ready"}});
}

Result<HttpResponse> GetVersion(const Services& services, const HttpRequest&) {
  Json json = {{"name", "mlprof"}, {"version", services.version}};
  if (const auto tls = services.tls()) {
    json["tls"] = {{"url", tls->url}};
    if (!tls->ca_certificate.empty()) json["tls"]["caCertificate"] = tls->ca_certificate;
  }
  return JsonResponse(200, json);
}

Result<HttpResponse> GetMetrics(const Services& services, const HttpRequest&) {
  return TextResponse(200, "text/plain; version=0.0.4; charset=utf-8", services.metrics.Text());
}

Result<HttpResponse> GetDocument(const Services&, const HttpRequest&) {
  return TextResponse(200, "application/yaml", std::string(OpenApiDocument()));
}

Json EncodeWorkspace(const std::string& name) { return {{"name", name}}; }

Result<HttpResponse> GetWorkspaces(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_LET(names, ListWorkspaces(services.database));
  MLPROF_LET(slice, Slice(names, page));
  return JsonResponse(200, EncodePage(slice, EncodeWorkspace));
}

Result<HttpResponse> GetPage(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(profiles, services.profiles.List(workspace, {}, {kProfilesOnPage, ""}));
  return OverviewPage(workspace, profiles.value);
}

}  // namespace

void AddSystemRoutes(Router& router, const Services& services) {
  router.Add({"GET", "/healthz", kNoBody, Handle(services, GetHealth)});
  router.Add({"GET", "/readyz", kNoBody, Handle(services, GetReadiness)});
  router.Add({"GET", "/version", kNoBody, Handle(services, GetVersion)});
  router.Add({"GET", "/metrics", kNoBody, Handle(services, GetMetrics)});
  router.Add({"GET", "/openapi.yaml", kNoBody, Handle(services, GetDocument)});
  router.Add({"GET", "/workspaces", kNoBody, Handle(services, GetWorkspaces)});
  router.Add({"GET", "/", kNoBody, Handle(services, GetPage)});
}

}  // namespace mlprof::server
