// What may go of what grows: asked for at once, or as a dry run. It concerns the whole server, not
// a workspace.
#include "server/retention/retention.h"

#include "common/json/json_reader.h"
#include "server/rest/endpoint.h"
#include "server/rest/problem.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

// This is the only handler that waits for the engine. One request does at a time, and no longer
// than this: clients and proxies commonly give up after 30 or 60 s without a response.
constexpr std::chrono::seconds kPatience{25};
constexpr std::int64_t kOldest = std::int64_t{100} * 366 * 24 * 3600;  // a hundred years

Result<Sweep> DecodeSweep(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  Sweep sweep{false, std::nullopt, Now(), Patience(Deadline::After(kPatience))};
  Assign(sweep.dry_run, reader.Boolean("dryRun"));
  const auto age = reader.BigInteger("profilesOlderThanSeconds", {0, kOldest});
  if (age) sweep.profiles_older_than = std::chrono::seconds(*age);
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return sweep;
}

Json EncodeItem(const Collected& item) {
  return {{"kind", Name(item.kind)},
          {"id", item.id},
          {"bytes", item.size.count()},
          {"action", Name(item.fate)},
          {"why", item.why}};
}

Result<HttpResponse> Collect(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(json, ReadJsonBody(request));
  MLPROF_LET(sweep, DecodeSweep(json));
  MLPROF_LET(found, services.retention.Collect(sweep));
  Json items = Json::array();
  for (const Collected& item : found.items) items.push_back(EncodeItem(item));
  return JsonResponse(200, {{"dryRun", sweep.dry_run},
                            {"items", std::move(items)},
                            {"freedBytes", found.Freed().count()},
                            {"notes", found.notes}});
}

}  // namespace

void AddRetentionRoutes(Router& router, const Services& services) {
  router.Add({"POST", "/gc", kJsonBody, Handle(services, Collect)});
}

}  // namespace mlprof::server
