// A connected, non-blocking stream socket with waits that end at a deadline or by a stop token.
// One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "common/http/client.h"

namespace mlprof {

class ClientSocket {
 public:
  /// kUnavailable, kDeadlineExceeded, kCancelled, kInvalidArgument (no such address can be).
  static Result<ClientSocket> Connect(const HttpEndpoint& endpoint, Deadline deadline,
                                      std::stop_token stop);
  ~ClientSocket();
  ClientSocket(ClientSocket&& other) noexcept;
  ClientSocket& operator=(ClientSocket&&) = delete;

  struct Readiness {
    bool readable = false;
    bool writable = false;
  };
  /// Until there is something to read (or the end), or room to write where that is wanted.
  Result<Readiness> Wait(bool want_write, Deadline deadline) const;
  /// 0: the peer's end. nullopt: nothing there after all.
  Result<std::optional<std::size_t>> Read(char* into, std::size_t room);
  /// How many were taken, perhaps none; nullopt: the peer takes no more.
  std::optional<std::size_t> Write(std::string_view bytes);

 private:
  ClientSocket(int descriptor, std::stop_token stop);

  int descriptor_;
  int wake_;  // an eventfd that the stop token rings
  std::stop_token stop_;
};

}  // namespace mlprof
