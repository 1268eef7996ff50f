// What a TLS listener shows to everybody who connects: a certificate and its key. TLS 1.2 and up
// with forward secrecy, HTTP/1.1 alone. Immutable, so thread-safe.
#pragma once

#include <filesystem>
#include <memory>

#include "common/result/result.h"

struct ssl_ctx_st;

namespace mlprof {

class TlsContext {
 public:
  /// PEM files; `certificate` begins with the server's own, then come intermediate ones.
  /// kInvalidArgument naming the file that cannot be used.
  static Result<std::shared_ptr<const TlsContext>> ForServer(
      const std::filesystem::path& certificate, const std::filesystem::path& key);

  ssl_ctx_st* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace mlprof
