// Reads one HTTP/1.x response from bytes as they come, on Beast's parser: Content-Length, chunked
// and until-the-end bodies; interim (1xx) responses are skipped. Pure; one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/http/client.h"

namespace mlprof {

class ReplyParser {
 public:
  /// `on_chunk`, if any, takes the body of a 2xx and says whether to go on. `head_only`: the reply
  /// to a HEAD request has no body whatever its fields say.
  ReplyParser(bool head_only, Bytes max_body, std::function<bool(std::string_view)> on_chunk);
  ~ReplyParser();

  /// kInternal: not HTTP; kTooLarge: a header over 64 KiB or a body over `max_body`.
  Status Feed(std::string_view bytes);
  /// The connection has ended. kUnavailable: too early.
  Status End();
  /// The reply is complete, or on_chunk wanted no more.
  bool done() const;
  HttpReply TakeReply();

 private:
  class Parser;
  Status Advance();
  void Restart();

  bool head_only_;
  Bytes max_body_;
  std::function<bool(std::string_view)> on_chunk_;
  std::string pending_;  // bytes the parser could not use yet
  std::unique_ptr<Parser> parser_;
};

}  // namespace mlprof
