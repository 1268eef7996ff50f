#include "server/tls/identity.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>

namespace mlprof::server {
namespace {

// An encrypted key must fail, and not ask at the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

std::string TextOf(const BioPointer& bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

BioPointer Reader(const std::string& text) {
  return BioPointer(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::time_t Seconds(Timestamp when) {
  return std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
}

}  // namespace

std::string Identity::KeyPem() const {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  if (!bio ||
      PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return "";
  }
  return TextOf(bio);
}

std::string Identity::CertificatePem() const {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate.get()) != 1) return "";
  return TextOf(bio);
}

Result<Identity> ReadIdentity(const std::string& certificate_pem, const std::string& key_pem) {
  const BioPointer certificate = Reader(certificate_pem);
  const BioPointer key = Reader(key_pem);
  Identity identity;
  identity.certificate.reset(PEM_read_bio_X509(certificate.get(), nullptr, &NoPassword, nullptr));
  identity.key.reset(PEM_read_bio_PrivateKey(key.get(), nullptr, &NoPassword, nullptr));
  if (!identity.certificate || !identity.key ||
      X509_check_private_key(identity.certificate.get(), identity.key.get()) != 1) {
    return Fail(InvalidArgument(OpenSslError("no certificate with its key").message()));
  }
  return identity;
}

bool LastsFor(const Identity& identity, Timestamp now, std::chrono::hours left) {
  std::time_t then = Seconds(now + left);
  std::time_t start = Seconds(now);
  return X509_cmp_time(X509_get0_notAfter(identity.certificate.get()), &then) > 0 &&
         X509_cmp_time(X509_get0_notBefore(identity.certificate.get()), &start) < 0;
}

bool IsFor(const Identity& identity, const Identity& authority, const ServerNames& names) {
  X509* certificate = identity.certificate.get();
  if (X509_verify(certificate, authority.key.get()) != 1 ||
      X509_check_issued(authority.certificate.get(), certificate) != X509_V_OK) {
    return false;
  }
  for (const std::string& name : names.dns) {
    if (X509_check_host(certificate, name.data(), name.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                        nullptr) != 1) {
      return false;
    }
  }
  for (const std::string& address : names.addresses) {
    if (X509_check_ip_asc(certificate, address.c_str(), 0) != 1) return false;
  }
  return true;
}

Error OpenSslError(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
  ERR_clear_error();
  return Internal(what + ": " + text.data());
}

}  // namespace mlprof::server
