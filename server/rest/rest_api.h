// The native REST interface: every route, one function a resource (each in a file of its name).
#pragma once

#include "common/http/router.h"
#include "server/rest/services.h"

namespace mlprof::server {

/// Adds all routes below.
void AddRoutes(Router& router, const Services& services);

void AddModelRoutes(Router& router, const Services& services);
void AddDatasetRoutes(Router& router, const Services& services);
void AddSourceRoutes(Router& router, const Services& services);
void AddProfileRoutes(Router& router, const Services& services);
void AddProfileDataRoutes(Router& router, const Services& services);
void AddArtifactRoutes(Router& router, const Services& services);
void AddWhatIfRoutes(Router& router, const Services& services);
void AddEventRoutes(Router& router, const Services& services);
void AddTokenRoutes(Router& router, const Services& services);
void AddRetentionRoutes(Router& router, const Services& services);
void AddSystemRoutes(Router& router, const Services& services);
/// What comes with a later version and answers 501 until then.
void AddLaterRoutes(Router& router);

}  // namespace mlprof::server
