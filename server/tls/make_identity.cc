// The making of keys and certificates with OpenSSL, down to what strict verifiers look for.
#include <openssl/bn.h>
#include <openssl/rand.h>

#include <array>
#include <initializer_list>

#include "common/hash/sha256.h"
#include "server/tls/identity.h"

namespace mlprof::server {
namespace {

using std::chrono::hours;

constexpr hours kDay{24};
constexpr hours kAuthorityLife = 3652 * kDay;
constexpr hours kServerLife = 397 * kDay;
// A certificate is valid from an hour ago on, for clients whose clocks are behind; that hour is
// part of its life.
constexpr hours kEarlier{1};
constexpr int kSerialBits = 159;  // RFC 5280: at most 20 bytes, positive

Status SetSerial(X509* certificate) {
  const std::unique_ptr<BIGNUM, OpenSslFree<&BN_free>> number(BN_new());
  if (!number || BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1 ||
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return Fail(OpenSslError("no serial number for a certificate"));
  }
  return {};
}

Status SetSubject(X509* certificate, const std::string& common_name) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  if (X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, text, -1, -1, 0) != 1) {
    return Fail(OpenSslError("no subject for a certificate"));
  }
  return {};
}

bool SetTime(ASN1_TIME* time, Timestamp when) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch());
  return ASN1_TIME_set(time, static_cast<std::time_t>(seconds.count())) != nullptr;
}

/// A certificate of a new key, to be extended and signed. `issuer`: null for one that signs itself.
Result<Identity> Begin(const std::string& common_name, const X509* issuer, Timestamp now,
                       hours life) {
  Identity made{KeyPointer(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")),
                CertificatePointer(X509_new())};
  X509* certificate = made.certificate.get();
  if (!made.key || certificate == nullptr) return Fail(OpenSslError("no key for a certificate"));
  MLPROF_TRY(SetSerial(certificate));
  MLPROF_TRY(SetSubject(certificate, common_name));
  const X509_NAME* issued_by = X509_get_subject_name(issuer == nullptr ? certificate : issuer);
  if (X509_set_version(certificate, X509_VERSION_3) != 1 ||
      X509_set_pubkey(certificate, made.key.get()) != 1 ||
      X509_set_issuer_name(certificate, issued_by) != 1 ||
      !SetTime(X509_getm_notBefore(certificate), now - kEarlier) ||
      !SetTime(X509_getm_notAfter(certificate), now - kEarlier + life)) {
    return Fail(OpenSslError("a certificate could not be filled in"));
  }
  return made;
}

struct Extension {
  int id;
  const char* value;
};

Status Extend(X509* certificate, X509* issuer, std::initializer_list<Extension> extensions) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&context);
  for (const auto& [id, value] : extensions) {
    const ExtensionPointer extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
    if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) {
      return Fail(OpenSslError("a certificate could not be extended"));
    }
  }
  return {};
}

// Names are added one by one: in one text with commas, a name with a comma could pass for two.
bool AddName(GENERAL_NAMES* names, int kind, const std::string& text) {
  GENERAL_NAME* name = a2i_GENERAL_NAME(nullptr, nullptr, nullptr, kind, text.c_str(), 0);
  if (name != nullptr && sk_GENERAL_NAME_push(names, name) > 0) return true;
  GENERAL_NAME_free(name);
  return false;
}

Status AddNames(X509* certificate, const ServerNames& names) {
  const NamesPointer all(GENERAL_NAMES_new());
  bool added = all != nullptr;
  for (const std::string& name : names.dns) added = added && AddName(all.get(), GEN_DNS, name);
  for (const std::string& address : names.addresses) {
    added = added && AddName(all.get(), GEN_IPADD, address);
  }
  if (!added || X509_add1_ext_i2d(certificate, NID_subject_alt_name, all.get(), 0, 0) != 1) {
    return Fail(OpenSslError("a certificate could not be given its names"));
  }
  return {};
}

Status Sign(X509* certificate, EVP_PKEY* key) {
  if (X509_sign(certificate, key, EVP_sha256()) > 0) return {};
  return Fail(OpenSslError("a certificate could not be signed"));
}

// Each authority has a name of its own, so that a bundle of certificates may hold several.
Result<std::string> AuthorityName() {
  std::array<unsigned char, 4> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return Fail(OpenSslError("no random bytes"));
  }
  return "mlprof CA " + ToHex(random);
}

}  // namespace

Result<Identity> MakeAuthority(Timestamp now) {
  MLPROF_LET(name, AuthorityName());
  auto made = Begin(name, nullptr, now, kAuthorityLife);
  if (!made) return made;
  X509* certificate = made->certificate.get();
  MLPROF_TRY(Extend(certificate, certificate,
                    {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                     {NID_key_usage, "critical,keyCertSign,cRLSign"},
                     {NID_ext_key_usage, "serverAuth"},
                     {NID_subject_key_identifier, "hash"}}));
  // The certificate is its own issuer, whose identifier this repeats: so that had to be set first.
  MLPROF_TRY(Extend(certificate, certificate, {{NID_authority_key_identifier, "keyid:always"}}));
  MLPROF_TRY(Sign(certificate, made->key.get()));
  return made;
}

Result<Identity> MakeServerIdentity(const Identity& authority, const ServerNames& names,
                                    Timestamp now) {
  X509* issuer = authority.certificate.get();
  auto made = Begin("mlprof-server", issuer, now, kServerLife);
  if (!made) return made;
  X509* certificate = made->certificate.get();
  const ASN1_TIME* last = X509_get0_notAfter(issuer);
  if (ASN1_TIME_compare(X509_get0_notAfter(certificate), last) > 0 &&
      X509_set1_notAfter(certificate, last) != 1) {
    return Fail(OpenSslError("a certificate could not be filled in"));
  }
  MLPROF_TRY(Extend(certificate, issuer,
                    {{NID_basic_constraints, "critical,CA:FALSE"},
                     {NID_key_usage, "critical,digitalSignature"},
                     {NID_ext_key_usage, "serverAuth"},
                     {NID_subject_key_identifier, "hash"},
                     {NID_authority_key_identifier, "keyid:always"}}));
  MLPROF_TRY(AddNames(certificate, names));
  MLPROF_TRY(Sign(certificate, authority.key.get()));
  return made;
}

}  // namespace mlprof::server
