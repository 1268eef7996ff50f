// The server's side of TLS, over OpenSSL: the certificate and key of a listener, and one
// connection's session with them.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "common/result/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace mlprof {

/// What a TLS listener shows to everybody who connects: a certificate and its key. TLS 1.2 and up
/// with forward secrecy, HTTP/1.1 alone. Immutable, so thread-safe.
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

/// The server's side of TLS over one non-blocking socket: every call does what can be done now and
/// says what to wait for. Knows no deadlines. One thread at a time.
class TlsSession {
 public:
  /// `socket` stays the caller's, who makes no call after closing it.
  TlsSession(const TlsContext& context, int socket);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class Step { kDone, kWantsRead, kWantsWrite, kEnded };
  Step Handshake();
  /// kDone: `count` bytes, at least one. kEnded: the peer's end, or an error.
  Step Read(std::span<char> into, std::size_t& count);
  /// `count` bytes of `bytes` were taken, with kDone perhaps not all. Whatever was not taken must
  /// be what the next call begins with.
  Step Write(std::string_view bytes, std::size_t& count);
  /// Bytes that Read() would give though the socket has none.
  bool HasUnread() const;
  /// Tells the peer that nothing more will come, as far as that is possible without waiting.
  void SayEnd();

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  Step StepAfter(int result);

  int socket_;
  std::unique_ptr<ssl_st, Free> session_;
  bool broken_ = false;
  bool said_end_ = false;
};

}  // namespace mlprof
