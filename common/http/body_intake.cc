#include "common/http/body_intake.h"

#include <utility>

#include "common/http/server_core.h"
#include "common/log/log.h"

namespace mlprof {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string TooLarge(Bytes limit) {
  return "the body is larger than " + std::to_string(limit.count()) + " bytes";
}

}  // namespace

BodyIntake::BodyIntake(ServerCore& core, TimedSocket& socket, std::string& buffer)
    : core_(core), socket_(socket), buffer_(buffer) {}

void BodyIntake::Receive(const RequestHead& head, const BodyPolicy& policy, Done done) {
  policy_ = policy;
  done_ = std::move(done);
  text_.clear();
  spool_error_.reset();
  client_waits_ = head.minor_version == 1 && head.expect && head.HasBody();
  receiver_.emplace(head, policy.limit);
  if (receiver_->state() == BodyReceiver::State::kTooLarge) {
    return Fail(413, TooLarge(policy.limit));
  }
  if (policy.kind == BodyPolicy::Kind::kSpooled) return OpenSpool();
  InviteBody();
}

void BodyIntake::OpenSpool() {
  core_.RunOnWorker(
      socket_.guard(),
      [this] {
        auto created = SpoolFile::Create(core_.options.spool_directory);
        if (created) {
          spool_ = std::move(*created);
        } else {
          spool_error_ = created.error();
        }
      },
      [this](bool ran) {
        if (!ran) return Fail(0, "");
        spool_ ? InviteBody() : FailSpool();
      });
}

void BodyIntake::InviteBody() {
  if (!client_waits_ || !buffer_.empty()) return Continue();
  socket_.Write(kContinue, core_.options.write_timeout, [this](IoOutcome outcome) {
    if (outcome != IoOutcome::kOk) return Fail(0, "");
    Continue();
  });
}

void BodyIntake::Continue() {
  std::string decoded;
  std::string_view input = buffer_;
  const auto state = receiver_->Feed(input, decoded);
  buffer_.erase(0, buffer_.size() - input.size());
  if (state == BodyReceiver::State::kTooLarge) return Fail(413, TooLarge(policy_.limit));
  if (state == BodyReceiver::State::kBad) return Fail(400, "the chunked body is malformed");
  if (policy_.kind == BodyPolicy::Kind::kSpooled) return Spool(std::move(decoded));
  text_ += decoded;
  if (state == BodyReceiver::State::kDone) return Finish(Body(std::move(text_)));
  ReadMore();
}

void BodyIntake::ReadMore() {
  const auto deadline = TimedSocket::Clock::now() + core_.options.body_stall_timeout;
  socket_.Read(deadline, [this](IoOutcome outcome, std::string_view bytes) {
    if (outcome == IoOutcome::kTimedOut) return Fail(408, "the body stalled");
    if (outcome == IoOutcome::kClosed) return Fail(0, "");
    buffer_ += bytes;
    Continue();
  });
}

void BodyIntake::Spool(std::string bytes) {
  core_.RunOnWorker(
      socket_.guard(),
      [this, bytes = std::move(bytes)] {
        if (bytes.empty()) return;
        if (auto appended = spool_->Append(bytes); !appended) spool_error_ = appended.error();
      },
      [this](bool ran) {
        if (!ran) return Fail(0, "");  // some of the bytes may be missing
        if (spool_error_) return FailSpool();
        receiver_->state() == BodyReceiver::State::kDone ? CloseSpool() : ReadMore();
      });
}

void BodyIntake::FailSpool() {
  LogError("could not spool an upload", {{"error", spool_error_->message()}});
  const bool full = spool_error_->code() == ErrorCode::kUnavailable;
  Fail(full ? 503 : 500, full ? "the disk is full" : "the upload could not be stored");
}

void BodyIntake::CloseSpool() {
  auto finished = spool_->Finish();
  if (finished) return Finish(Body(std::move(*finished)));
  spool_error_ = finished.error();
  FailSpool();
}

void BodyIntake::Finish(tl::expected<Body, BodyProblem> outcome) {
  spool_.reset();
  receiver_.reset();
  text_ = {};
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(outcome));
}

void BodyIntake::Fail(int status, std::string detail) {
  Finish(tl::unexpected<BodyProblem>(BodyProblem{status, std::move(detail)}));
}

}  // namespace mlprof
