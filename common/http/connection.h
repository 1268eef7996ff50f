// One client connection: TLS handshake where it has one, then head → gate → admission → route →
// body → handler → response, again and again. Lives on the I/O thread in ServerCore::connections
// until it ends; hooks and handlers run on a worker while the I/O thread leaves the request alone.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "common/http/body_intake.h"
#include "common/http/connection_places.h"
#include "common/http/framing_gate.h"
#include "common/http/response_sender.h"
#include "common/http/router.h"
#include "common/http/step_guard.h"
#include "common/http/timed_socket.h"

namespace mlprof {

struct ServerCore;

class HttpConnection final : public InSteps, public std::enable_shared_from_this<HttpConnection> {
 public:
  /// `tls`: what the handshake is done with; null on a plain connection.
  HttpConnection(ServerCore& core, net::ip::tcp::socket socket, net::ip::address peer,
                 const TlsContext* tls);

  /// Takes a place and begins; without one it answers 503 to the first request, and ends.
  void Start();
  void BreakOff() noexcept override;
  /// Ends now where no response is under way, else after the response. Streams count as none.
  void Drain();
  /// Breaks off. The connection ends as soon as what is under way has noticed.
  void Close();

 private:
  enum class Phase { kHead, kRequest, kLingering };

  void Begin();
  void AwaitHead();
  void ContinueHead();
  void OnHeadBytes(IoOutcome outcome, std::string_view bytes);
  void OnHead(std::size_t end);
  bool DescribeRequest();
  void Admit();
  void OnAdmitted(bool refused, bool known);
  void RouteRequest();
  void ReceiveBody();
  void RunHandler();
  /// Runs `respond` on a worker and sends what it gives. An exception becomes a 500.
  void RespondWith(std::function<HttpResponse()> respond);
  void Refuse(int status, std::string detail, HttpHeaders more = {});
  void RefuseBusy(std::string detail);
  void Send();
  void OnSent(ResponseSender::Outcome outcome);
  void ReportServed();
  void Linger(TimedSocket::Clock::time_point until);
  void End();

  ServerCore& core_;
  TimedSocket socket_;
  const net::ip::address peer_;
  ConnectionPlaces::Place place_;
  std::string buffer_;  // read from the socket and not yet taken
  BodyIntake intake_;
  ResponseSender sender_;

  Phase phase_ = Phase::kHead;
  std::size_t scanned_ = 0;          // of buffer_, for the end of the head
  bool blank_line_skipped_ = false;  // RFC 9112 §2.2 allows one before a request
  bool refusing_ = false;            // has no place
  bool known_ = false;               // brought a caller we know
  bool close_after_ = false;         // this response
  bool input_unknown_ = false;       // the client may still send what nobody will read
  TimedSocket::Clock::time_point head_deadline_;

  TimedSocket::Clock::time_point started_;  // when this request's head was complete
  RequestHead head_;
  HttpRequest request_;
  const Route* route_ = nullptr;
  PreparedResponse prepared_;
  int sent_status_ = 0;
};

}  // namespace mlprof
