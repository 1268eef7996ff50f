#include "server/rest/rest_api.h"

namespace mlprof::server {

void AddRoutes(Router& router, const Services& services) {
  AddModelRoutes(router, services);
  AddDatasetRoutes(router, services);
  AddSourceRoutes(router, services);
  AddProfileRoutes(router, services);
  AddProfileDataRoutes(router, services);
  AddArtifactRoutes(router, services);
  AddWhatIfRoutes(router, services);
  AddEventRoutes(router, services);
  AddTokenRoutes(router, services);
  AddRetentionRoutes(router, services);
  AddSystemRoutes(router, services);
  AddLaterRoutes(router);
}

}  // namespace mlprof::server
