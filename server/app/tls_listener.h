// The TLS listener that the options ask for, with the certificate given or one of our own.
#pragma once

#include <filesystem>
#include <optional>

#include "common/http/server.h"
#include "common/result/result.h"
#include "server/app/options.h"

namespace mlprof::server {

/// nullopt without --tls-listen. Makes or renews the server's own certificate below `data_dir`
/// where none is given; one that is given and does not fit its key is kInvalidArgument. Blocking.
Result<std::optional<HttpTlsOptions>> MakeTlsListener(const ServerOptions& options,
                                                      const std::filesystem::path& data_dir);

/// PEM of the CA that the listener's certificate is of; "" without one of our own. To be asked when
/// the listener is made.
Result<std::string> OwnAuthority(const ServerOptions& options,
                                 const std::filesystem::path& data_dir);

}  // namespace mlprof::server
