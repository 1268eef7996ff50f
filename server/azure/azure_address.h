// Where clients of the Azure ML v1 routes find this server. Plain data.
#pragma once

#include <string>

namespace mlprof::server {

/// Bases have no trailing slash. Without TLS both https texts are empty.
struct AzureAddress {
  std::string http_base;        // "http://127.0.0.1:8080"
  std::string https_base;       // "https://127.0.0.1:8443", or the public URL
  std::string https_authority;  // "127.0.0.1:8443"
};

}  // namespace mlprof::server
