// What a server's options mean for who may reach it and under which addresses. Pure.
#pragma once

#include "common/result/result.h"
#include "server/app/options.h"
#include "server/azure/azure_api.h"
#include "server/rest/access.h"
#include "server/tls/server_names.h"

namespace mlprof::server {

/// Beyond loopback a server listens only where a token is needed and one exists, and not in the
/// clear, unless it was told to. kInvalidArgument with what to do instead.
Status CheckListening(const ServerOptions& options, bool has_token);

/// Tells `access` which addresses are this server's, and whether tokens are needed at all.
void Introduce(const ServerOptions& options, AccessRules& access);

/// What the server's own certificate must be good for.
ServerNames CertificateNames(const ServerOptions& options, const std::string& machine);

/// Ports as they are listened on; 0: no such listener.
AzureAddress AzureAddressOf(const ServerOptions& options, unsigned short http_port,
                            unsigned short https_port);

}  // namespace mlprof::server
