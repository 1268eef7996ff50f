// The certificate a server shows when it is given none: signed by a CA of its own, which clients
// are told to trust.
//
//   DIRECTORY/ca.pem      for clients: curl --cacert, MLPROF_CA
//   DIRECTORY/ca.key      0600; whoever reads it can pose as this server
//   DIRECTORY/server.pem  the server's certificate, renewed at start
//   DIRECTORY/server.key  0600
#pragma once

#include <filesystem>

#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "server/tls/server_names.h"

namespace mlprof::server {

inline constexpr const char* kAuthorityFile = "ca.pem";

struct CertificateFiles {
  std::filesystem::path authority;
  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// Makes what is missing. The server's certificate is made anew where it ends within 30 days, does
/// not name all of `names`, or is not of this CA; the CA where it ends within 30 days. One process
/// at a time (the data directory's lock). Blocking.
Result<CertificateFiles> EnsureOwnCertificate(const std::filesystem::path& directory,
                                              const ServerNames& names, Timestamp now);

}  // namespace mlprof::server
