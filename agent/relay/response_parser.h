// An incremental parser of one HTTP/1.0 or 1.1 response: what it means, never what it holds. The
// body is counted and dropped; only the start of an unsuccessful one is kept. Pure; bytes may be
// split anywhere. Hostile input ends in kMalformed or kTooLarge with bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/agent_protocol/messages.h"

namespace mlprof::agent {

class ResponseParser {
 public:
  struct Limits {
    std::size_t head = 64u << 10;     // status line, header lines, trailers and interim responses
    std::uint64_t body = 1ull << 30;  // decoded bytes
    std::size_t chunk_line = 4096;
    std::size_t excerpt = 2048;
  };
  explicit ResponseParser(Limits limits) : limits_(limits) {}
  ResponseParser() : ResponseParser(Limits()) {}

  /// Ready for the response to a new request.
  void Reset(bool head_request);

  /// Takes bytes and returns how many belonged to this response: fewer than given only when it is
  /// complete or has failed.
  std::size_t Feed(std::string_view bytes);
  /// The peer sent everything: completes a response that ends so, fails any other with kReset.
  void End();

  bool complete() const { return part_ == Part::kComplete; }
  bool failed() const { return failure_ != agent_protocol::RowFailure::kNone; }
  agent_protocol::RowFailure failure() const { return failure_; }

  /// Meaningful once the head was read; 0 before.
  int status() const { return status_; }
  /// Whether the connection may carry another request.
  bool keep_alive() const { return keep_alive_; }
  std::uint64_t body_bytes() const { return body_bytes_; }
  const std::string& excerpt() const { return excerpt_; }

 private:
  enum class Part {
    kStatusLine,
    kHeaders,
    kSizedBody,
    kBodyToEnd,
    kChunkSize,
    kChunkData,
    kChunkEnd,
    kTrailers,
    kComplete,
    kFailed,
  };

  std::size_t FeedLine(std::string_view bytes);
  std::size_t FeedBody(std::string_view bytes);
  void OnLine(std::string_view line);
  void OnStatusLine(std::string_view line);
  void OnHeader(std::string_view line);
  void OnContentLength(std::string_view value);
  void OnTransferEncoding(std::string_view value);
  void OnConnection(std::string_view value);
  void OnHeadEnd();
  void OnChunkSize(std::string_view line);
  void FailWith(agent_protocol::RowFailure failure);

  Limits limits_;
  Part part_ = Part::kStatusLine;
  agent_protocol::RowFailure failure_ = agent_protocol::RowFailure::kNone;
  std::string line_;  // the start of a line whose end has not come
  std::size_t head_bytes_ = 0;

  bool head_request_ = false;
  int status_ = 0;
  bool http_1_0_ = false;
  bool keep_alive_ = false;
  bool close_seen_ = false;
  bool keep_alive_seen_ = false;
  bool has_length_ = false;
  bool has_encoding_ = false;
  bool chunked_ = false;
  std::uint64_t left_ = 0;  // of the sized body or the chunk
  std::uint64_t body_bytes_ = 0;
  std::string excerpt_;
};

}  // namespace mlprof::agent
