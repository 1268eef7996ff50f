#include "server/rest/rest_api.h"

#include "server/rest/endpoint.h"
#include "server/rest/problem.h"

namespace mlprof::server {

void AddRoutes(Router& router, const Services& services) {
  AddModelRoutes(router, services);
  AddDatasetRoutes(router, services);
  AddSourceRoutes(router, services);
  AddProfileRoutes(router, services);
  AddProfileDataRoutes(router, services);
  AddArtifactRoutes(router, services);
  AddWhatIfRoutes(router, services);
  AddComparisonRoutes(router, services);
  AddEventRoutes(router, services);
  AddTokenRoutes(router, services);
  AddRetentionRoutes(router, services);
  if (services.captures != nullptr) AddCaptureRoutes(router, services);
  AddSystemRoutes(router, services);
  AddLaterRoutes(router);
}

// Routes of the interface that a later version brings. They are known, so they answer 501 instead
// of 404.

namespace {

HttpResponse NotAvailable(const HttpRequest& request) {
  return ProblemResponse(
      Error(ErrorCode::kNotAvailable, "this version of mlprof does not have this yet"),
      request.path);
}

}  // namespace

void AddLaterRoutes(Router& router) {
  router.Add({"GET", "/profiles/{name}/report", kNoBody, NotAvailable});
}

}  // namespace mlprof::server
