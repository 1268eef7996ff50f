// OpenSSL's objects with owners. Only the .cc files of server/tls see its headers otherwise.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "common/result/result.h"

namespace mlprof::server {

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

}  // namespace mlprof::server
