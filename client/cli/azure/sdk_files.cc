#include "client/cli/azure/sdk_files.h"

#include <array>
#include <cctype>

#include "client/cli/azure/azure_variables.h"
#include "client/cli/file_lock.h"
#include "client/cli/server_location.h"
#include "client/cli/text_file.h"
#include "common/text/ascii.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnBegins = "# The CA of an mlprof server:\n";
constexpr std::chrono::seconds kLockWait{10};
// Where Debian, Fedora and others keep the public CAs.
constexpr std::array<const char*, 4> kSystemBundles = {
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

std::string Certificates(const fs::path& file) {
  const auto text = ReadTextFile(file);
  // A second `eval` in the same shell finds this file itself.
  return text ? CertificatesIn(PublicPart(*text)) : "";
}

std::string PublicCas(const Surroundings& surroundings) {
  std::string found;
  for (const char* variable : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}) {
    const auto file = surroundings.environment(variable);
    if (!file) continue;
    const std::string more = Certificates(*file);
    if (found != more) found += more;
  }
  for (const char* file : kSystemBundles) {
    if (found.empty()) found = Certificates(file);
  }
  return found;
}

std::string FileName(const std::string& url) {
  std::string name = AuthorityOf(url);
  for (char& c : name) {
    if (!IsAlnum(c) && c != '.' && c != '-') c = '_';
  }
  return name + ".pem";
}

}  // namespace

std::string CertificatesIn(std::string_view pem) {
  std::string out;
  for (const std::string_view label : {"CERTIFICATE", "TRUSTED CERTIFICATE"}) {
    const std::string begin = "-----BEGIN " + std::string(label) + "-----";
    const std::string end = "-----END " + std::string(label) + "-----";
    std::size_t at = pem.find(begin);
    while (at != std::string_view::npos) {
      const std::size_t last = pem.find(end, at);
      if (last == std::string_view::npos) break;
      out += std::string(pem.substr(at, last + end.size() - at)) + "\n";
      at = pem.find(begin, last);
    }
  }
  return out;
}

std::string BundleText(const std::string& public_cas, const std::string& server_ca) {
  return public_cas + std::string(kOwnBegins) + server_ca;
}

std::string PublicPart(const std::string& bundle) {
  return bundle.substr(0, bundle.find(kOwnBegins));
}

Result<CaBundle> WriteCaBundle(const TlsEndpoint& tls, const Surroundings& surroundings) {
  const std::string own = CertificatesIn(tls.ca_certificate);
  if (own.empty() && !tls.ca_certificate.empty()) {
    return Fail(Internal("what the server gives as its CA is no certificate"));
  }
  MLPROF_LET(folder, CacheFolder(surroundings));
  folder /= "azure-env";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Fail(InvalidArgument("cannot create " + folder.string() + ": " + error.message()));
  }
  const auto lock =
      FileLock::Take(folder / "lock", LockKind::kExclusive, Deadline::After(kLockWait));
  if (!lock) return Fail(lock.error());
  const std::string public_cas = PublicCas(surroundings);
  CaBundle bundle{folder / FileName(tls.url), !public_cas.empty()};
  MLPROF_TRY(WriteTextFile(bundle.file, BundleText(public_cas, own), false));
  // Whatever the umask: it holds nothing secret, and the SDK may run as somebody else.
  fs::permissions(bundle.file,
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read |
                      fs::perms::others_read,
                  error);
  return bundle;
}

namespace {

// "127.0.0.1:80" is not named by "127.0.0.1:8080".
bool Names(const std::string& text, const std::string& authority) {
  for (std::size_t at = text.find(authority); at != std::string::npos;
       at = text.find(authority, at + 1)) {
    const std::size_t end = at + authority.size();
    if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<fs::path> StaleCaches(const Surroundings& surroundings, const std::string& authority) {
  std::vector<fs::path> caches;
  const auto home = surroundings.environment("HOME");
  if (const auto folder = surroundings.environment("AZURE_CONFIG_DIR")) {
    caches.push_back(fs::path(*folder) / "cloudEndpoints.json");
  } else if (home) {
    caches.push_back(fs::path(*home) / ".azure" / "cloudEndpoints.json");
  }
  if (home) caches.push_back(fs::path(*home) / ".azureml" / ".discovery");
  std::erase_if(caches, [&](const fs::path& cache) {
    std::error_code error;
    if (!fs::exists(cache, error)) return true;
    const auto text = ReadTextFile(cache);
    return text && Names(*text, authority);
  });
  return caches;
}

}  // namespace mlprof::client::cli
