#include "server/tls/own_certificate.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>

#include "common/log/log.h"
#include "server/storage/durable_file.h"
#include "server/tls/identity.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kRenewBefore{30 * 24};

std::string Content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A crash leaves the old file or the new one, never a part of one.
Status Replace(const fs::path& file, const std::string& text, mode_t mode) {
  if (text.empty()) return Fail(OpenSslError(file.string() + " could not be made"));
  const RemovedAtEnd part(file.string() + ".part");
  unlink(part.path().c_str());
  const FileDescriptor out(
      open(part.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!out) return Fail(FromErrno(errno, "cannot write " + part.path().string()));
  MLPROF_TRY(WriteAll(out.get(), text));
  MLPROF_TRY(SyncPath(part.path()));
  return RenameDurably(part.path(), file);
}

// The key first: without its certificate it is noticed, and both are made again.
Status Save(const Identity& identity, const fs::path& certificate, const fs::path& key) {
  MLPROF_TRY(Replace(key, identity.KeyPem(), 0600));
  return Replace(certificate, identity.CertificatePem(), 0644);
}

Result<Identity> LoadAuthority(const fs::path& certificate, const fs::path& key) {
  auto loaded = ReadIdentity(Content(certificate), Content(key));
  if (loaded) return loaded;
  return Fail(InvalidArgument(certificate.string() + " and " + key.string() +
                              " are not a CA with its key; put them back, or remove both to have "
                              "a new CA made, which clients then must be given"));
}

Result<Identity> EnsureAuthority(const fs::path& certificate, const fs::path& key, Timestamp now) {
  std::error_code error;
  if (fs::exists(certificate, error)) {
    auto loaded = LoadAuthority(certificate, key);
    if (!loaded || LastsFor(*loaded, now, kRenewBefore)) return loaded;
    LogWarn("the CA has ended or soon will and is replaced; give clients the new one",
            {{"file", certificate.string()}});
  }
  auto made = MakeAuthority(now);
  if (!made) return made;
  MLPROF_TRY(Save(*made, certificate, key));
  LogInfo("a CA was made", {{"file", certificate.string()}});
  return made;
}

bool StillGood(const CertificateFiles& files, const Identity& authority, const ServerNames& names,
               Timestamp now) {
  const auto loaded = ReadIdentity(Content(files.certificate), Content(files.key));
  return loaded && LastsFor(*loaded, now, kRenewBefore) && IsFor(*loaded, authority, names);
}

}  // namespace

Result<CertificateFiles> EnsureOwnCertificate(const fs::path& directory, const ServerNames& names,
                                              Timestamp now) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return Fail(FromErrno(error.value(), "creating " + directory.string()));
  fs::permissions(directory, fs::perms::owner_all, error);
  const CertificateFiles files{directory / kAuthorityFile, directory / "server.pem",
                               directory / "server.key"};
  MLPROF_LET(authority, EnsureAuthority(files.authority, directory / "ca.key", now));
  if (StillGood(files, authority, names, now)) return files;
  MLPROF_LET(made, MakeServerIdentity(authority, names, now));
  MLPROF_TRY(Save(made, files.certificate, files.key));
  LogInfo(
      "a server certificate was made",
      {{"file", files.certificate.string()}, {"names", names.dns}, {"addresses", names.addresses}});
  return files;
}

}  // namespace mlprof::server
