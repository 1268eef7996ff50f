// How a worker ends that may answer only so many requests: its replacement serves before it leaves.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace target {

/// Blocks the signals by which generations hand over. Before any fork and any thread.
void BlockHandoverSignals();

/// Of a worker to its supervisor: it wants to be replaced. Queued, and names the sender.
int RetireSignal();

/// To the worker whose replacement is ready to serve.
void TellToLeave(pid_t worker);

/// What a serving process knows of its own end. Made by the thread that accepts.
class Lifetime {
 public:
  /// After `most` requests it asks to be replaced and serves on until it is; 0: it never ends.
  explicit Lifetime(int most);

  bool Leaving() const { return leaving_; }

  void Opened();
  void Closed();
  void Began();
  void Answered();

  /// Waits for the connections that are open, as long as they do something, and exits with 0.
  [[noreturn]] void Leave();

 private:
  void AwaitReplacement(pthread_t accepting);

  const int most_;
  std::atomic<bool> leaving_{false};
  std::atomic<bool> accepting_{true};
  std::mutex mutex_;
  std::condition_variable changed_;
  int answered_ = 0;
  int open_ = 0;  // connections
  int busy_ = 0;  // requests
};

}  // namespace target
