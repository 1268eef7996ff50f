// A TCP connection, plain or with TLS, whose every operation has a deadline. All calls and
// callbacks on the I/O thread; at most one read and one write at a time, and only one of them with
// a deadline that matters: a deadline that passes cancels both. Callbacks never run inside the call
// that takes them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "common/async/asio.h"
#include "common/http/step_guard.h"
#include "common/http/tls.h"

namespace mlprof {

enum class IoOutcome { kOk, kTimedOut, kClosed };

class TimedSocket {
 public:
  using Clock = std::chrono::steady_clock;
  using ReadDone = std::function<void(IoOutcome, std::string_view bytes)>;
  using WriteDone = std::function<void(IoOutcome)>;

  /// `scratch` is where bytes are read to; one for all sockets of an I/O thread, so that an idle
  /// connection costs no buffer. With `tls` the connection is encrypted, and its Handshake() comes
  /// before all else.
  TimedSocket(net::ip::tcp::socket socket, std::span<char> scratch,
              const TlsContext* tls = nullptr);
  ~TimedSocket();
  TimedSocket(const TimedSocket&) = delete;
  TimedSocket& operator=(const TimedSocket&) = delete;

  /// What every callback from here on runs under.
  void GuardBy(StepGuard guard) { guard_ = std::move(guard); }
  const StepGuard& guard() const { return guard_; }

  bool encrypted() const { return tls_ != nullptr; }
  /// kClosed: the peer's end, or what is no TLS that we take.
  void Handshake(Clock::time_point deadline, WriteDone done);
  /// Some bytes, rarely none, valid during the callback only. kClosed: the peer's end, or an error.
  void Read(Clock::time_point deadline, ReadDone done);
  /// Some bytes whenever they come; leaves the deadline of a write alone.
  void ReadWithoutDeadline(ReadDone done);
  /// All of `bytes`, which the caller keeps alive. `stall`: the longest wait for any progress.
  void Write(std::string_view bytes, Clock::duration stall, WriteDone done);
  /// Says that nothing more will be sent.
  void ShutdownSend();
  /// Ends what is under way with kClosed.
  void Close();

 private:
  using Woken = std::function<void(bool broken)>;

  void AwaitReadable(ReadDone done, bool timed);
  void OnReadable(boost::system::error_code error, const ReadDone& done, bool timed);
  void WriteSome(std::string_view bytes, Clock::duration stall, WriteDone done);
  /// Waits for what TLS needs; `broken` where it cannot come any more.
  void AwaitTls(TlsSession::Step step, Woken woken);
  void ContinueHandshake(TlsSession::Step step, WriteDone done);
  void AwaitDecrypted(TlsSession::Step step, ReadDone done, bool timed);
  void OnDecryptable(bool broken, ReadDone done, bool timed);
  void WriteEncrypted(TlsSession::Step step, std::string_view bytes, Clock::duration stall,
                      WriteDone done);
  void Arm(Clock::time_point deadline);
  void Disarm();
  IoOutcome Failure() const { return timed_out_ ? IoOutcome::kTimedOut : IoOutcome::kClosed; }

  net::ip::tcp::socket socket_;
  std::span<char> scratch_;
  StepGuard guard_;
  std::unique_ptr<TlsSession> tls_;  // null: plain
  net::steady_timer timer_;
  // Tells a timer's late callback that it no longer counts, even after this object is gone.
  std::shared_ptr<unsigned> arming_ = std::make_shared<unsigned>(0);
  bool timed_out_ = false;
};

}  // namespace mlprof
