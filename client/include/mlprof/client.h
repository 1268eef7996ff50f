// A client of one workspace of one mlprof server, with what a server says of itself and of what it
// lets go. Synchronous; use it from one thread at a time and make one more for each further thread.
//
//   auto transport = ConnectTo("http://127.0.0.1:8080", "");
//   Client client(std::move(*transport), "default");
//   auto model = client.models().Get("sentiment");
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/units/bytes.h"
#include "mlprof/captures.h"
#include "mlprof/comparisons.h"
#include "mlprof/datasets.h"
#include "mlprof/models.h"
#include "mlprof/profiles.h"
#include "mlprof/sources.h"
#include "mlprof/tokens.h"
#include "mlprof/transport.h"

namespace mlprof::client {

/// Where a server speaks HTTPS, and whom a client is to trust for it.
struct TlsEndpoint {
  std::string url;             // "https://127.0.0.1:8443", as clients are to reach it
  std::string ca_certificate;  // PEM: who signed its certificate; "" is a public CA
};

/// What a server says of itself.
struct ServerVersion {
  std::string version;
  std::optional<TlsEndpoint> tls;  // absent where the server speaks plain HTTP alone
};

/// Asks a server to let go what it keeps beyond its limits.
struct GarbageRequest {
  bool dry_run = false;  // says what would go
  /// Finished profiles that ended longer ago are deleted; nullopt: none.
  std::optional<std::chrono::seconds> profiles_older_than;
};

/// One thing that a server let go, or would let go.
struct GarbageItem {
  std::string kind;  // image, content, samples, profile
  std::string id;
  Bytes size;
  std::string action;  // removed, thinned, quarantined
  std::string why;
};

/// What a server let go, or would let go.
struct Garbage {
  std::vector<GarbageItem> items;
  Bytes freed;
  std::vector<std::string> notes;  // what stayed although it might have gone, and why
};

class Client {
 public:
  Client(std::unique_ptr<RestTransport> transport, std::string workspace);
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  Models models() { return Models(*connection_); }
  Datasets datasets() { return Datasets(*connection_); }
  Sources sources() { return Sources(*connection_); }
  Profiles profiles() { return Profiles(*connection_); }
  Comparisons comparisons() { return Comparisons(*connection_); }
  Tokens tokens() { return Tokens(*connection_); }
  Captures captures() { return Captures(*connection_); }

  /// ok when the server answers at all.
  Status Health();
  /// ok when it can take work; else the error says what is missing.
  Status Readiness();
  Result<ServerVersion> Version();
  /// Has the server let go what is beyond its limits; what went.
  Result<Resource<Garbage>> CollectGarbage(const GarbageRequest& request);
  /// Makes an Azure workspace where it is missing, so that Azure's client finds its subscription.
  Status UseAzureWorkspace(const std::string& subscription, const std::string& group,
                           const std::string& name);

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace mlprof::client
