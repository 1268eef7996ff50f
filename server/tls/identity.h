// A key with its certificate: made, and read from PEM; with the OpenSSL objects that it consists
// of. No files here. Any thread.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "server/tls/server_names.h"

namespace mlprof::server {

// OpenSSL's objects with owners. Only the .cc files of server/tls see its headers otherwise.

template <auto Free>
struct OpenSslFree {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using KeyPointer = std::unique_ptr<EVP_PKEY, OpenSslFree<&EVP_PKEY_free>>;
using CertificatePointer = std::unique_ptr<X509, OpenSslFree<&X509_free>>;
using ExtensionPointer = std::unique_ptr<X509_EXTENSION, OpenSslFree<&X509_EXTENSION_free>>;
using NamesPointer = std::unique_ptr<GENERAL_NAMES, OpenSslFree<&GENERAL_NAMES_free>>;
using BioPointer = std::unique_ptr<BIO, OpenSslFree<&BIO_free>>;

/// kInternal: "what", and why, as OpenSSL says.
Error OpenSslError(const std::string& what);

struct Identity {
  KeyPointer key;
  CertificatePointer certificate;

  std::string KeyPem() const;
  std::string CertificatePem() const;
};

/// kInvalidArgument for what is no such PEM, or a key that is not the certificate's.
Result<Identity> ReadIdentity(const std::string& certificate_pem, const std::string& key_pem);

/// A CA (EC P-256) that signs itself and, for ten years, servers' certificates; no other CA.
Result<Identity> MakeAuthority(Timestamp now);
/// A server's certificate with a key of its own, for 397 days (what browsers take at the most) or
/// as long as the authority lasts.
Result<Identity> MakeServerIdentity(const Identity& authority, const ServerNames& names,
                                    Timestamp now);

/// Whether it still lasts for `left` from `now`.
bool LastsFor(const Identity& identity, Timestamp now, std::chrono::hours left);
/// Whether `authority` signed it and it names all of `names`.
bool IsFor(const Identity& identity, const Identity& authority, const ServerNames& names);

}  // namespace mlprof::server
