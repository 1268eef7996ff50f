// Files of this machine that Azure's client (azureml-core) reads: the certificate authorities that
// it is told to trust, and caches that it must not go on using.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/surroundings.h"
#include "client/include/mlprof/client.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

// The file of certificate authorities that Azure's client is told to trust: the public ones of this
// machine, for all else it talks to, and the server's own.
//
//   $XDG_CACHE_HOME/mlprof/azure-env/HOST_PORT.pem   mode 0644, replaced in one step

/// The certificates in PEM text and nothing else of it, no keys above all.
std::string CertificatesIn(std::string_view pem);

/// Both behind one another; PublicPart gives the first back. Pure.
std::string BundleText(const std::string& public_cas, const std::string& server_ca);
std::string PublicPart(const std::string& bundle);

struct CaBundle {
  std::filesystem::path file;
  bool has_public = false;  // false: no certificates of this machine were found
};

/// The public ones are those SSL_CERT_FILE and REQUESTS_CA_BUNDLE point at, else the system's. A
/// server may name no CA: its certificate is then signed by a public one.
/// kInternal where what it names is no certificate.
Result<CaBundle> WriteCaBundle(const TlsEndpoint& tls, const Surroundings& surroundings);

/// Files in which azureml-core keeps the responses of a server for ever, whatever its environment
/// says later: those that are there and do not speak of the server at `authority` (HOST:PORT).
std::vector<std::filesystem::path> StaleCaches(const Surroundings& surroundings,
                                               const std::string& authority);

}  // namespace mlprof::client::cli
