#include "server/app/listening.h"

#include "server/app/server_address.h"

namespace mlprof::server {
namespace {

bool IsUsualLoopback(const ListenAddress& listen) {
  return listen.address == "127.0.0.1" || listen.address == "::1";
}

Status CheckPlainListener(const ServerOptions& options) {
  if (IsLoopback(options.listen) || options.allow_plain_http || options.allow_without_token) {
    return {};
  }
  return Fail(InvalidArgument(
      "--listen " + options.listen.address +
      " would carry tokens over the network in the clear; serve other machines with --tls-listen " +
      options.listen.address + ":PORT, or say --allow-plain-http"));
}

}  // namespace

Status CheckListening(const ServerOptions& options, bool has_token) {
  MLPROF_TRY(CheckPlainListener(options));
  const bool beyond =
      !IsLoopback(options.listen) || (options.tls_listen && !IsLoopback(*options.tls_listen));
  if (has_token || options.allow_without_token || (!beyond && !options.require_token)) return {};
  return Fail(InvalidArgument(
      std::string(options.require_token ? "--require-token" : "listening beyond loopback") +
      " needs a token, and there is none yet: make one with 'mlprof token create NAME --data-dir " +
      options.data_dir.string() + "', and start this server again" +
      (options.require_token ? "" : "; or say --allow-without-token")));
}

void Introduce(const ServerOptions& options, AccessRules& access) {
  if (!options.public_url.empty()) access.RespondTo(options.public_url);
  const bool other = !IsUsualLoopback(options.listen) ||
                     (options.tls_listen && !IsUsualLoopback(*options.tls_listen));
  if (other) access.RespondToEveryAddress();
  if (options.allow_without_token) access.LetAnyoneIn();
}

ServerNames CertificateNames(const ServerOptions& options, const std::string& machine) {
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1", options.listen.address,
                                    machine};
  if (options.tls_listen) hosts.push_back(options.tls_listen->address);
  if (!options.public_url.empty()) hosts.push_back(HostOfUrl(options.public_url));
  return NamesOf(hosts);
}

AzureAddress AzureAddressOf(const ServerOptions& options, unsigned short http_port,
                            unsigned short https_port) {
  AzureAddress address;
  address.http_base = ReachableUrlOf("http", options.listen, http_port);
  if (options.tls_listen && https_port != 0) {
    address.https_base = ReachableUrlOf("https", *options.tls_listen, https_port);
  }
  if (options.public_url.starts_with("https://")) {
    address.https_base = options.public_url;
  } else if (!options.public_url.empty()) {
    address.http_base = options.public_url;
  }
  if (!address.https_base.empty()) {
    address.https_authority = address.https_base.substr(std::string("https://").size());
  }
  return address;
}

}  // namespace mlprof::server
