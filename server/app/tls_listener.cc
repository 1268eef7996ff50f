#include "server/app/tls_listener.h"

#include <unistd.h>

#include <array>

#include "common/os/read_text.h"
#include "server/app/listening.h"
#include "server/tls/own_certificate.h"

namespace mlprof::server {
namespace {

std::string MachineName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Result<CertificateFiles> FilesFor(const ServerOptions& options,
                                  const std::filesystem::path& data_dir) {
  if (!options.tls_cert.empty()) return CertificateFiles{{}, options.tls_cert, options.tls_key};
  return EnsureOwnCertificate(data_dir / "tls", CertificateNames(options, MachineName()), Now());
}

}  // namespace

Result<std::optional<HttpTlsOptions>> MakeTlsListener(const ServerOptions& options,
                                                      const std::filesystem::path& data_dir) {
  if (!options.tls_listen) return std::nullopt;
  MLPROF_LET(files, FilesFor(options, data_dir));
  MLPROF_LET(context, TlsContext::ForServer(files.certificate, files.key));
  return HttpTlsOptions{options.tls_listen->address, options.tls_listen->port, std::move(context)};
}

Result<std::string> OwnAuthority(const ServerOptions& options,
                                 const std::filesystem::path& data_dir) {
  if (!options.tls_listen || !options.tls_cert.empty()) return std::string();
  const std::filesystem::path file = data_dir / "tls" / kAuthorityFile;
  std::string pem = ReadText(file);
  if (pem.empty()) return Fail(Unavailable("cannot read " + file.string()));
  return pem;
}

}  // namespace mlprof::server
