// Receives the body of one request from the socket, into memory or into a spool file. I/O thread;
// disk work is done on a worker. One request at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "common/http/body_receiver.h"
#include "common/http/router.h"
#include "common/http/spool_file.h"
#include "common/http/timed_socket.h"

namespace mlprof {

struct ServerCore;

struct BodyProblem {
  int status = 0;  // 0: the client went away, nobody is there to be told
  std::string detail;
};

class BodyIntake {
 public:
  using Body = std::variant<std::string, SpooledBody>;
  using Done = std::function<void(tl::expected<Body, BodyProblem>)>;

  /// `buffer` holds bytes read from the socket already; what follows the body is left in it.
  BodyIntake(ServerCore& core, TimedSocket& socket, std::string& buffer);

  /// `done` keeps the owner of this object alive and is called once, on the I/O thread.
  void Receive(const RequestHead& head, const BodyPolicy& policy, Done done);
  /// Forgets whom to tell.
  void LetGo() noexcept { done_ = nullptr; }

 private:
  void OpenSpool();
  void InviteBody();
  void Continue();
  void ReadMore();
  void Spool(std::string bytes);
  void FailSpool();
  void CloseSpool();
  void Finish(tl::expected<Body, BodyProblem> outcome);
  void Fail(int status, std::string detail);

  ServerCore& core_;
  TimedSocket& socket_;
  std::string& buffer_;

  BodyPolicy policy_;
  Done done_;
  bool client_waits_ = false;  // for "100 Continue"
  std::optional<BodyReceiver> receiver_;
  std::string text_;
  std::unique_ptr<SpoolFile> spool_;
  std::optional<Error> spool_error_;
};

}  // namespace mlprof
