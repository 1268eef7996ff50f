#include "tests/targets/target/response.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>

namespace target {
namespace {

std::string EndOfHead(const Outcome& outcome) {
  return outcome.last ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n";
}

bool SendWhole(int connection, const Outcome& outcome) {
  return SendAll(connection,
                 "HTTP/1.1 " + std::to_string(outcome.status) + " Answer\r\nContent-Length: " +
                     std::to_string(outcome.body.size()) + EndOfHead(outcome) + outcome.body) &&
         !outcome.last;
}

// Ends where the other side closes.
bool SendNothing(int connection) {
  std::array<char, 4096> unread;
  while (recv(connection, unread.data(), unread.size(), 0) > 0) {
  }
  return false;
}

bool SendChunks(int connection, const Outcome& outcome) {
  if (!SendAll(connection,
               "HTTP/1.1 200 Answer\r\nTransfer-Encoding: chunked" + EndOfHead(outcome))) {
    return false;
  }
  for (int sent = 0; outcome.chunks == 0 || sent < outcome.chunks; ++sent) {
    if (!SendAll(connection, "6\r\nchunk\n\r\n")) return false;
    std::this_thread::sleep_for(outcome.chunk_period);
  }
  return SendAll(connection, "0\r\n\r\n") && !outcome.last;
}

[[noreturn]] void DieHalfWay(int connection) {
  SendAll(connection, "HTTP/1.1 200 Answer\r\nContent-Length: 1000\r\n\r\nthe first half");
  std::abort();
}

}  // namespace

bool SendAll(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool SendResponse(int connection, const Outcome& outcome) {
  switch (outcome.manner) {
    case Manner::kWhole: return SendWhole(connection, outcome);
    case Manner::kGarbage: SendAll(connection, "\x01\x02 this is no HTTP\n"); return false;
    case Manner::kNothing: return false;
    case Manner::kNever: return SendNothing(connection);
    case Manner::kHalf: DieHalfWay(connection);
    case Manner::kChunks: return SendChunks(connection, outcome);
  }
  return false;
}

}  // namespace target
