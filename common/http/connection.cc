#include "common/http/connection.h"

#include <utility>

#include "common/http/server_core.h"
#include "common/log/log.h"
#include "common/text/percent.h"

namespace mlprof {
namespace {

// A client that was refused while it still sends would get a reset, which may erase the response
// before it was read: so its bytes are read and dropped for a while.
constexpr std::chrono::seconds kLinger{2};
// A connection that waits for its next request keeps no larger buffer: there may be thousands.
constexpr std::size_t kIdleCapacity = 4096;
// A short body that nobody wants is read, so that the connection can go on; it costs less than a
// new connection.
constexpr Bytes kIgnoredBody = KiB(64);
constexpr const char* kRetryAfterSeconds = "1";

std::string JoinComma(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

}  // namespace

HttpConnection::HttpConnection(ServerCore& core, net::ip::tcp::socket socket, net::ip::address peer,
                               const TlsContext* tls)
    : core_(core),
      socket_(std::move(socket), core.scratch, tls),
      peer_(std::move(peer)),
      place_([this] {
        if (!refusing_) core_.TellTurnedAway(TurnedAway::kIdle);
        Close();
      }),
      intake_(core, socket_, buffer_),
      sender_(core, socket_) {}

void HttpConnection::Start() {
  const StepGuard guard(weak_from_this());
  socket_.GuardBy(guard);
  guard.Run([this] {
    const auto entry = core_.places.Take(place_, PeerGroupOf(peer_));
    refusing_ = entry == ConnectionPlaces::Entry::kRefused;
    if (refusing_) core_.TellTurnedAway(TurnedAway::kBusy);
    Begin();
  });
}

// A client that does not speak TLS on the TLS port gets no response: it could not read one.
void HttpConnection::Begin() {
  if (!socket_.encrypted()) return AwaitHead();
  socket_.Handshake(TimedSocket::Clock::now() + core_.options.handshake_timeout,
                    [self = shared_from_this()](IoOutcome outcome) {
                      outcome == IoOutcome::kOk ? self->AwaitHead() : self->End();
                    });
}

void HttpConnection::Drain() {
  close_after_ = true;
  if (phase_ != Phase::kRequest || sender_.streaming()) Close();
}

void HttpConnection::Close() { socket_.Close(); }

void HttpConnection::AwaitHead() {
  phase_ = Phase::kHead;
  core_.places.Wait(place_);
  scanned_ = 0;
  blank_line_skipped_ = false;
  route_ = nullptr;
  head_ = {};
  request_ = {};
  if (buffer_.empty() && buffer_.capacity() > kIdleCapacity) buffer_.shrink_to_fit();
  const auto patience = buffer_.empty() ? core_.options.idle_timeout : core_.options.header_timeout;
  head_deadline_ = TimedSocket::Clock::now() + patience;
  ContinueHead();
}

void HttpConnection::ContinueHead() {
  if (!blank_line_skipped_ && buffer_.starts_with("\r\n")) {
    buffer_.erase(0, 2);
    blank_line_skipped_ = true;
    scanned_ = 0;
  }
  const HeadScan scan = ScanHead(buffer_, scanned_);
  scanned_ = buffer_.size();
  if (scan.state == HeadScan::State::kComplete && scan.end <= core_.options.max_header_bytes) {
    return OnHead(scan.end);
  }
  const bool too_long = buffer_.size() > core_.options.max_header_bytes;
  if (too_long || scan.state == HeadScan::State::kBad) {
    started_ = TimedSocket::Clock::now();
    input_unknown_ = true;
    if (scan.state != HeadScan::State::kBad) return Refuse(431, "the header is too long");
    return Refuse(400, "the header has a bare CR, a bare LF or a NUL");
  }
  socket_.Read(head_deadline_,
               [self = shared_from_this()](IoOutcome outcome, std::string_view bytes) {
                 self->OnHeadBytes(outcome, bytes);
               });
}

void HttpConnection::OnHeadBytes(IoOutcome outcome, std::string_view bytes) {
  if (outcome == IoOutcome::kClosed) return End();
  if (outcome == IoOutcome::kTimedOut) {
    if (buffer_.empty()) return End();
    started_ = TimedSocket::Clock::now();
    input_unknown_ = true;
    return Refuse(408, "the header did not arrive in time");
  }
  // The first byte of a request gives it its deadline and makes it the last in line to make room.
  // Later bytes do neither, so a client that sends them one by one gains nothing.
  if (buffer_.empty()) {
    head_deadline_ = TimedSocket::Clock::now() + core_.options.header_timeout;
    core_.places.Wait(place_);
  }
  buffer_ += bytes;
  ContinueHead();
}

void HttpConnection::OnHead(std::size_t end) {
  started_ = TimedSocket::Clock::now();
  auto judged = JudgeHead(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end);
  if (!judged) {
    input_unknown_ = true;
    return Refuse(judged.error().status, judged.error().reason);
  }
  head_ = std::move(*judged);
  close_after_ = close_after_ || !head_.keep_alive;
  input_unknown_ = head_.HasBody();
  if (!DescribeRequest()) return Refuse(400, "the query is not well percent-encoded UTF-8");
  if (refusing_) {
    return RefuseBusy("too many connections are at work; try again in a moment");
  }
  if (head_.expect && !EqualsIgnoringCase(*head_.expect, "100-continue")) {
    return Refuse(417, "an expectation other than 100-continue");
  }
  Admit();
}

bool HttpConnection::DescribeRequest() {
  request_.method = head_.method;
  request_.target = head_.target;
  request_.headers = head_.headers;
  request_.remote_address = peer_.to_string();
  request_.over_tls = socket_.encrypted();
  const std::size_t mark = std::min(head_.target.find('?'), head_.target.size());
  request_.path = head_.target.substr(0, mark);
  auto query =
      ParseQuery(std::string_view(head_.target).substr(std::min(mark + 1, head_.target.size())));
  if (query) request_.query = std::move(*query);
  return query.has_value();
}

// A connection keeps its place only while it works for a caller who is known. Until that has been
// looked at it may be asked to make room, or strangers could fill all places.
void HttpConnection::Admit() {
  phase_ = Phase::kRequest;
  if (!core_.hooks.admit) return OnAdmitted(false, true);
  struct Verdict {
    bool refused = true;
    bool known = false;
  };
  const auto verdict = std::make_shared<Verdict>();
  core_.RunOnWorker(
      socket_.guard(),
      [this, verdict] {
        bool admitted = false;
        prepared_ = PrepareResponse(core_, request_, [&] {
          auto refusal = core_.hooks.admit(request_);
          admitted = !refusal;
          if (admitted)
            verdict->known = known_ || !core_.hooks.knows || core_.hooks.knows(request_);
          return refusal ? std::move(*refusal) : HttpResponse{};
        });
        // An exception in a hook leaves a 500.
        verdict->refused = !admitted || prepared_.response.status != 200;
      },
      [self = shared_from_this(), verdict](bool ran) {
        if (!ran) return self->End();
        self->OnAdmitted(verdict->refused, verdict->known);
      });
}

void HttpConnection::OnAdmitted(bool refused, bool known) {
  if (refused) return Send();
  if (known && !std::exchange(known_, true)) core_.places.Know(place_);
  // A stranger, whom some routes are open to, does not keep the place by a request: it would do so
  // for as long as it lets its body drip in.
  if (known_ && !core_.places.Work(place_)) return End();  // it had to make room meanwhile
  RouteRequest();
}

void HttpConnection::RouteRequest() {
  Router::Match match = core_.router.Find(request_.method, request_.path);
  if (match.bad_path) {
    return Refuse(400, "the path has an escape, a dot segment or a character that is not allowed");
  }
  if (!match.route && match.allowed_methods.empty()) {
    return Refuse(404, "there is nothing at " + request_.path);
  }
  if (!match.route) {
    HttpHeaders allow;
    allow.Set("Allow", JoinComma(match.allowed_methods));
    return Refuse(405, request_.method + " is not possible here", std::move(allow));
  }
  route_ = match.route;
  request_.path_parameters = std::move(match.parameters);
  ReceiveBody();
}

void HttpConnection::ReceiveBody() {
  const bool ignored = route_->body.kind == BodyPolicy::Kind::kNone;
  const BodyPolicy policy =
      ignored ? BodyPolicy{BodyPolicy::Kind::kBuffered, kIgnoredBody} : route_->body;
  intake_.Receive(
      head_, policy,
      [self = shared_from_this(), ignored](tl::expected<BodyIntake::Body, BodyProblem> outcome) {
        if (!outcome && outcome.error().status == 0) return self->End();
        if (!outcome) {
          return self->Refuse(outcome.error().status, outcome.error().detail);
        }
        self->input_unknown_ = false;
        if (!ignored) self->request_.body = std::move(*outcome);
        self->RunHandler();
      });
}

void HttpConnection::RunHandler() {
  if (!core_.places.Work(place_)) return End();
  RespondWith([this] { return route_->handler(request_); });
}

void HttpConnection::Refuse(int status, std::string detail, HttpHeaders more) {
  RespondWith([this, status, detail = std::move(detail), more = std::move(more)] {
    HttpResponse response = core_.Refusal(status, detail, request_);
    for (const auto& [name, value] : more.all()) response.headers.Set(name, value);
    return response;
  });
}

void HttpConnection::RefuseBusy(std::string detail) {
  close_after_ = true;
  HttpHeaders later;
  later.Set("Retry-After", kRetryAfterSeconds);
  Refuse(503, std::move(detail), std::move(later));
}

void HttpConnection::RespondWith(std::function<HttpResponse()> respond) {
  phase_ = Phase::kRequest;
  core_.RunOnWorker(
      socket_.guard(),
      [this, respond = std::move(respond)] {
        prepared_ = PrepareResponse(core_, request_, respond);
        request_.body = std::string();  // deletes a spooled upload that nobody kept
      },
      [self = shared_from_this()](bool ran) { ran ? self->Send() : self->End(); });
}

void HttpConnection::Send() {
  if (!known_) core_.places.Wait(place_);  // for as long as it takes to read the response
  const bool streams = std::holds_alternative<std::shared_ptr<BodyStream>>(prepared_.response.body);
  if (streams && !core_.places.Stream(place_)) {
    prepared_ = {};
    return RefuseBusy("too many streams are open; close one, or try again later");
  }
  const SendTerms terms{request_.method == "HEAD", head_.minor_version,
                        close_after_ || input_unknown_ || core_.draining};
  sent_status_ = prepared_.response.status;
  sender_.Send(std::exchange(prepared_, {}), terms, shared_from_this(),
               [this](ResponseSender::Outcome outcome) { OnSent(outcome); });
}

void HttpConnection::OnSent(ResponseSender::Outcome outcome) {
  ReportServed();
  if (!outcome.complete) return End();
  if (!outcome.close) return AwaitHead();
  socket_.ShutdownSend();
  if (!input_unknown_ && buffer_.empty()) return End();
  phase_ = Phase::kLingering;
  core_.places.Wait(place_);
  Linger(TimedSocket::Clock::now() + kLinger);
}

void HttpConnection::ReportServed() {
  if (!core_.hooks.served) return;
  const std::chrono::duration<double> taken = TimedSocket::Clock::now() - started_;
  core_.RunOnWorker(
      [&core = core_, route = route_, method = request_.method, status = sent_status_, taken] {
        core.hooks.served(route ? route->pattern : "", method, status, taken.count());
      });
}

void HttpConnection::Linger(TimedSocket::Clock::time_point until) {
  socket_.Read(until, [self = shared_from_this(), until](IoOutcome outcome, std::string_view) {
    if (outcome == IoOutcome::kOk) return self->Linger(until);
    self->End();
  });
}

void HttpConnection::End() {
  socket_.Close();
  core_.places.Leave(place_);
  core_.Remove(shared_from_this());
}

void HttpConnection::BreakOff() noexcept {
  try {
    intake_.LetGo();
    sender_.LetGo();
    End();
  } catch (...) {
    LogThrown("a connection could not be closed", "http");
  }
}

}  // namespace mlprof
