// What a profile leaves behind: series, trials, rows and logs.
#include "common/json/domain_json.h"
#include "common/json/series_json.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"
#include "server/rest/slice.h"

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
  const auto all = services.profiles.Samples(workspace, PathParameter(request, "name"), range);
  if (!all) return Fail(all.error());
  Json json = EncodeSeries(*all);
  const auto count = services.profiles.CountPoints(workspace, PathParameter(request, "name"));
  if (!count) return Fail(count.error());
  if (count->kept < count->measured) {
    json["thinned"] = {{"measuredPoints", count->measured}, {"keptPoints", count->kept}};
  }
  return JsonResponse(200, json);
}

Result<HttpResponse> ListTrials(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  const auto trials = services.profiles.Trials(workspace, PathParameter(request, "name"));
  if (!trials) return Fail(trials.error());
  const auto slice = Slice(*trials, page);
  if (!slice) return Fail(slice.error());
  return JsonResponse(200, EncodePage(*slice, EncodeTrial));
}

Result<HttpResponse> ListRows(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  const PageRequest page = query.Page();
  MLPROF_TRY(query.Done());
  const auto rows = services.profiles.Rows(workspace, PathParameter(request, "name"));
  if (!rows) return Fail(rows.error());
  const auto slice = Slice(*rows, page);
  if (!slice) return Fail(slice.error());
  return JsonResponse(200, EncodePage(*slice, EncodeRowRecord));
}

Result<HttpResponse> GetLogs(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  auto logs = services.profiles.Logs(workspace, PathParameter(request, "name"));
  if (!logs) return Fail(logs.error());
  HttpResponse response = TextResponse(200, "text/plain; charset=utf-8", std::move(*logs));
  // A model may have written HTML; no browser may take it for a page.
  response.headers.Set("X-Content-Type-Options", "nosniff");
  return response;
}

}  // namespace

void AddProfileDataRoutes(Router& router, const Services& services) {
  router.Add({"GET", "/profiles/{name}/samples", kNoBody, Handle(services, GetSamples)});
  router.Add({"GET", "/profiles/{name}/trials", kNoBody, Handle(services, ListTrials)});
  router.Add({"GET", "/profiles/{name}/rows", kNoBody, Handle(services, ListRows)});
  router.Add({"GET", "/profiles/{name}/logs", kNoBody, Handle(services, GetLogs)});
}

}  // namespace mlprof::server
