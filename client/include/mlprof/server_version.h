// What a server says of itself.
#pragma once

#include <optional>
#include <string>

namespace mlprof::client {

struct TlsEndpoint {
  std::string url;             // "https://127.0.0.1:8443", as clients are to reach it
  std::string ca_certificate;  // PEM: who signed its certificate; "" is a public CA
};

struct ServerVersion {
  std::string version;
  std::optional<TlsEndpoint> tls;  // absent where the server speaks plain HTTP alone
};

}  // namespace mlprof::client
