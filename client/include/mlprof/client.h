// A client of one workspace of one mlprof server. Synchronous; use it from one thread at a time and
// make one more for each further thread.
//
//   auto transport = ConnectTo("http://127.0.0.1:8080", "");
//   Client client(std::move(*transport), "default");
//   auto model = client.models().Get("sentiment");
#pragma once

#include <memory>
#include <string>

#include "mlprof/datasets.h"
#include "mlprof/garbage.h"
#include "mlprof/models.h"
#include "mlprof/profiles.h"
#include "mlprof/server_version.h"
#include "mlprof/sources.h"
#include "mlprof/tokens.h"
#include "mlprof/transport.h"

namespace mlprof::client {

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
  Tokens tokens() { return Tokens(*connection_); }

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
