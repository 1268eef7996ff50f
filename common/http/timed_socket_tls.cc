// The encrypted half of TimedSocket. A socket that is ready need not mean bytes of ours, nor the
// other way round, so each operation asks the session what it waits for, again and again.
#include <utility>

#include "common/http/timed_socket.h"

namespace mlprof {

using boost::system::error_code;
using Step = TlsSession::Step;

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
