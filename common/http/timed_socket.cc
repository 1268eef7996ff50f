#include "common/http/timed_socket.h"

#include <utility>

namespace mlprof {

using boost::system::error_code;
using Step = TlsSession::Step;

TimedSocket::TimedSocket(net::ip::tcp::socket socket, std::span<char> scratch,
                         const TlsContext* tls)
    : socket_(std::move(socket)), scratch_(scratch), timer_(socket_.get_executor()) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(net::ip::tcp::no_delay(true), ignored);
  if (tls != nullptr) tls_ = std::make_unique<TlsSession>(*tls, socket_.native_handle());
}

TimedSocket::~TimedSocket() { Disarm(); }

// The owner is kept alive by the callbacks of its reads and writes, not by the timer's: that one
// may already be queued when the owner goes, hence the shared counter.
void TimedSocket::Arm(Clock::time_point deadline) {
  timed_out_ = false;
  const unsigned arming = ++*arming_;
  timer_.expires_at(deadline);
  timer_.async_wait([this, arming, current = arming_](error_code error) {
    if (error || arming != *current) return;
    timed_out_ = true;
    error_code ignored;
    socket_.cancel(ignored);
  });
}

void TimedSocket::Disarm() {
  ++*arming_;
  timer_.cancel();
}

void TimedSocket::Read(Clock::time_point deadline, ReadDone done) {
  Arm(deadline);
  AwaitReadable(std::move(done), true);
}

void TimedSocket::ReadWithoutDeadline(ReadDone done) { AwaitReadable(std::move(done), false); }

void TimedSocket::AwaitReadable(ReadDone done, bool timed) {
  if (tls_) return AwaitDecrypted(Step::kWantsRead, std::move(done), timed);
  socket_.async_wait(net::ip::tcp::socket::wait_read,
                     [this, guard = guard_, timed, done = std::move(done)](error_code error) {
                       guard.Run([&] { OnReadable(error, done, timed); });
                     });
}

void TimedSocket::OnReadable(error_code error, const ReadDone& done, bool timed) {
  if (timed) Disarm();
  if (error) return done(Failure(), {});
  const std::size_t count = socket_.read_some(net::buffer(scratch_.data(), scratch_.size()), error);
  if (error == net::error::would_block) return done(IoOutcome::kOk, {});
  if (error) return done(IoOutcome::kClosed, {});
  done(IoOutcome::kOk, {scratch_.data(), count});
}

void TimedSocket::Write(std::string_view bytes, Clock::duration stall, WriteDone done) {
  if (tls_) return WriteEncrypted(Step::kWantsWrite, bytes, stall, std::move(done));
  WriteSome(bytes, stall, std::move(done));
}

void TimedSocket::WriteSome(std::string_view bytes, Clock::duration stall, WriteDone done) {
  Arm(Clock::now() + stall);
  socket_.async_write_some(net::buffer(bytes.data(), bytes.size()),
                           [this, guard = guard_, bytes, stall, done = std::move(done)](
                               error_code error, std::size_t count) mutable {
                             guard.Run([&] {
                               Disarm();
                               if (error) return done(Failure());
                               if (count == bytes.size()) return done(IoOutcome::kOk);
                               WriteSome(bytes.substr(count), stall, std::move(done));
                             });
                           });
}

void TimedSocket::ShutdownSend() {
  if (tls_ && socket_.is_open()) tls_->SayEnd();
  error_code ignored;
  socket_.shutdown(net::ip::tcp::socket::shutdown_send, ignored);
}

void TimedSocket::Close() {
  Disarm();
  if (tls_ && socket_.is_open()) tls_->SayEnd();
  error_code ignored;
  socket_.close(ignored);
}

// The encrypted half of TimedSocket. A socket that is ready need not mean bytes of ours, nor the
// other way round, so each operation asks the session what it waits for, again and again.

// Tells `woken` whether the socket was closed: its descriptor may be another connection's by then,
// so the session must not be used.
void TimedSocket::AwaitTls(Step step, Woken woken) {
  const auto wait = step == Step::kWantsWrite ? net::ip::tcp::socket::wait_write
                                              : net::ip::tcp::socket::wait_read;
  socket_.async_wait(wait, [this, guard = guard_, woken = std::move(woken)](error_code error) {
    guard.Run([&] { woken(error || !socket_.is_open()); });
  });
}

void TimedSocket::Handshake(Clock::time_point deadline, WriteDone done) {
  Arm(deadline);
  ContinueHandshake(Step::kWantsRead, std::move(done));
}

void TimedSocket::ContinueHandshake(Step step, WriteDone done) {
  AwaitTls(step, [this, done = std::move(done)](bool broken) {
    const Step next = broken || timed_out_ ? Step::kEnded : tls_->Handshake();
    if (next == Step::kWantsRead || next == Step::kWantsWrite) return ContinueHandshake(next, done);
    Disarm();
    done(next == Step::kDone ? IoOutcome::kOk : Failure());
  });
}

void TimedSocket::AwaitDecrypted(Step step, ReadDone done, bool timed) {
  Woken woken = [this, timed, done = std::move(done)](bool broken) {
    OnDecryptable(broken, done, timed);
  };
  if (!tls_->HasUnread()) return AwaitTls(step, std::move(woken));
  net::post(socket_.get_executor(), [this, guard = guard_, woken = std::move(woken)] {
    guard.Run([&] { woken(!socket_.is_open()); });
  });
}

void TimedSocket::OnDecryptable(bool broken, ReadDone done, bool timed) {
  std::size_t count = 0;
  const Step step = broken || (timed && timed_out_) ? Step::kEnded : tls_->Read(scratch_, count);
  // What came was part of a record, or a message of TLS's own, and no byte of the client's: waits
  // on under the same deadline.
  if (step == Step::kWantsRead || step == Step::kWantsWrite) {
    return AwaitDecrypted(step, std::move(done), timed);
  }
  if (timed) Disarm();
  if (step == Step::kEnded) return done(Failure(), {});
  done(IoOutcome::kOk, {scratch_.data(), count});
}

void TimedSocket::WriteEncrypted(Step step, std::string_view bytes, Clock::duration stall,
                                 WriteDone done) {
  Arm(Clock::now() + stall);
  AwaitTls(step, [this, bytes, stall, done = std::move(done)](bool broken) {
    std::size_t count = 0;
    const Step next = broken ? Step::kEnded : tls_->Write(bytes, count);
    Disarm();
    if (next == Step::kEnded) return done(Failure());
    if (count == bytes.size()) return done(IoOutcome::kOk);
    WriteEncrypted(next == Step::kWantsRead ? Step::kWantsRead : Step::kWantsWrite,
                   bytes.substr(count), stall, done);
  });
}

}  // namespace mlprof
