// The native REST interface: what its routes are built on, and every route, one function a resource
// (each in a file of its name, but for those that a later version brings).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/http/router.h"
#include "common/result/result.h"

namespace mlprof::server {

namespace profiler {
class LiveCaptures;
}

class AccessRules;
class CaptureStore;
class ComparisonService;
class ControllerMetrics;
class Database;
class DatasetRegistry;
class ModelRegistry;
class ProfileService;
class Retention;
class SourceRegistry;
class TokenRepository;

/// How clients reach the server over TLS.
struct TlsFacts {
  std::string url;             // "https://127.0.0.1:8443", or the public URL
  std::string ca_certificate;  // PEM of the CA of our own; "" where the certificate was given
};

/// What the routes are built on. References: the owner keeps all of it alive as long as the server.
struct Services {
  ModelRegistry& models;
  DatasetRegistry& datasets;
  SourceRegistry& sources;
  ProfileService& profiles;
  ComparisonService& comparisons;
  Retention& retention;
  Database& database;
  TokenRepository& tokens;
  const AccessRules& access;
  const ControllerMetrics& metrics;
  std::function<Status()> ready;  // why the server cannot run profiles now; any thread, quick
  std::string version;
  std::chrono::seconds budget{300};  // of profiles that ask for none
  /// nullopt where there is plain HTTP alone; any thread, quick.
  std::function<std::optional<TlsFacts>()> tls = [] { return std::nullopt; };
  CaptureStore* captures = nullptr;                 // of a whole server never
  profiler::LiveCaptures* live_captures = nullptr;  // nor this
};

/// Adds all routes below.
void AddRoutes(Router& router, const Services& services);

void AddModelRoutes(Router& router, const Services& services);
void AddDatasetRoutes(Router& router, const Services& services);
void AddSourceRoutes(Router& router, const Services& services);
void AddProfileRoutes(Router& router, const Services& services);
void AddProfileDataRoutes(Router& router, const Services& services);
void AddArtifactRoutes(Router& router, const Services& services);
void AddWhatIfRoutes(Router& router, const Services& services);
void AddComparisonRoutes(Router& router, const Services& services);
void AddEventRoutes(Router& router, const Services& services);
void AddTokenRoutes(Router& router, const Services& services);
void AddRetentionRoutes(Router& router, const Services& services);
void AddCaptureRoutes(Router& router, const Services& services);
void AddSystemRoutes(Router& router, const Services& services);
/// What comes with a later version and answers 501 until then.
void AddLaterRoutes(Router& router);

}  // namespace mlprof::server
