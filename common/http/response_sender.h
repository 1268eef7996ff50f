// Sends one response after another: a text, a file piece by piece, or a stream as it is made.
// I/O thread; files and streams are read on a worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "common/http/message.h"
#include "common/http/prepared_response.h"
#include "common/http/timed_socket.h"

namespace mlprof {

struct ServerCore;

/// What the request and the connection ask of the response.
struct SendTerms {
  bool head_only = false;  // HEAD
  int minor_version = 1;
  bool close = false;
};

class ResponseSender {
 public:
  /// `complete`: all of it is with the kernel. `close`: nothing may follow on this connection.
  struct Outcome {
    bool complete = false;
    bool close = false;
  };
  using Done = std::function<void(Outcome)>;

  ResponseSender(ServerCore& core, TimedSocket& socket);

  /// `owner` keeps this object alive; `done` is called once, on the I/O thread.
  void Send(PreparedResponse prepared, SendTerms terms, std::shared_ptr<void> owner, Done done);
  /// Forgets what is being sent and whom to tell.
  void LetGo() noexcept;
  /// Whether a stream without a foreseeable end is being sent.
  bool streaming() const { return stream_ != nullptr; }

 private:
  struct Doorbell;

  std::string MakeHead();
  void Write(std::string bytes, void (ResponseSender::*next)());
  void SendText();
  void SendFile();
  void StartStream();
  void WatchClient();
  void BreakStream();
  void PumpStream();
  void AwaitStream();
  void OnBell();
  void EndStream();
  void Complete();
  void Finish(bool complete);
  void Silence() noexcept;

  ServerCore& core_;
  TimedSocket& socket_;

  PreparedResponse prepared_;
  SendTerms terms_;
  std::shared_ptr<void> owner_;
  Done done_;
  std::string out_;  // what the socket is writing
  std::uint64_t file_left_ = 0;
  std::shared_ptr<BodyStream> stream_;
  std::shared_ptr<Doorbell> doorbell_;
  bool stream_waits_ = false;   // for its doorbell; else a write or a worker is under way
  bool stream_broken_ = false;  // nobody reads it any more
};

}  // namespace mlprof
