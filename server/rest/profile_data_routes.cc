// What a profile leaves behind: series, trials, rows and logs.
#include "common/json/domain_json.h"
#include "common/json/series_json.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

constexpr int kMostPoints = 100'000;  // of each series: 2 MB of JSON

Result<HttpResponse> GetSamples(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  ProfileService::SampleRange range;
  range.from = query.Seconds("from");
  range.to = query.Seconds("to");
  if (const auto most = query.Integer("maxPoints", 2, kMostPoints)) range.max_points = *most;
  if (range.from && range.to && *range.from > *range.to) {
    query.Problem("to", "must not be before from");
  }
  MLPROF_TRY(query.Done());
  MLPROF_LET(all, services.profiles.Samples(workspace, PathParameter(request, "name"), range));
  Json json = EncodeSeries(all);
  MLPROF_LET(count, services.profiles.CountPoints(workspace, PathParameter(request, "name")));
  if (count.kept < count.measured) {
    json["thinned"] = {{"measuredPoints", count.measured}, {"keptPoints", count.kept}};
  }
  return JsonResponse(200, json);
}

Result<HttpResponse> ListTrials(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_LET(trials, services.profiles.Trials(workspace, PathParameter(request, "name")));
  MLPROF_LET(slice, Slice(trials, page));
  return JsonResponse(200, EncodePage(slice, EncodeTrial));
}

Result<HttpResponse> ListRowRecords(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  MLPROF_LET(rows, services.profiles.Rows(workspace, PathParameter(request, "name")));
  MLPROF_LET(slice, Slice(rows, page));
  return JsonResponse(200, EncodePage(slice, EncodeRowRecord));
}

Result<HttpResponse> GetLogs(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(logs, services.profiles.Logs(workspace, PathParameter(request, "name")));
  HttpResponse response = TextResponse(200, "text/plain; charset=utf-8", std::move(logs));
  // A model may have written HTML; no browser may take it for a page.
  response.headers.Set("X-Content-Type-Options", "nosniff");
  return response;
}

}  // namespace

void AddProfileDataRoutes(Router& router, const Services& services) {
  router.Add({"GET", "/profiles/{name}/samples", kNoBody, Handle(services, GetSamples)});
  router.Add({"GET", "/profiles/{name}/trials", kNoBody, Handle(services, ListTrials)});
  router.Add({"GET", "/profiles/{name}/rows", kNoBody, Handle(services, ListRowRecords)});
  router.Add({"GET", "/profiles/{name}/logs", kNoBody, Handle(services, GetLogs)});
}

}  // namespace mlprof::server
