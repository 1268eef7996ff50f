#include "client/cli/azure/azure_variables.h"

#include "common/text/percent.h"

namespace mlprof::client::cli {
namespace {

std::string WithCredentials(const std::string& url, const std::string& token) {
  if (token.empty()) return url;
  const std::size_t host = url.find("://") + 3;
  return url.substr(0, host) + "x:" + PercentEncode(token) + "@" + url.substr(host);
}

}  // namespace

std::string AuthorityOf(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  return url.substr(host, url.find_first_of("/?#", host) - host);
}

Variables AzureVariables(const std::string& tls_url, const std::string& token,
                         const std::string& ca_bundle) {
  const std::string base = "https://" + AuthorityOf(tls_url);
  return {{"ARM_CLOUD_METADATA_URL", base + "/metadata/endpoints"},
          {"AZUREML_CURRENT_CLOUD", "AzureCloud"},
          {"MSI_ENDPOINT", WithCredentials(base, token) + "/msi/token"},
          {"REQUESTS_CA_BUNDLE", ca_bundle},
          {"SSL_CERT_FILE", ca_bundle}};
}

std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string ExportLines(const Variables& variables) {
  std::string out;
  for (const auto& [name, value] : variables) {
    out += "export " + name + "=" + ShellQuoted(value) + "\n";
  }
  return out;
}

}  // namespace mlprof::client::cli
