// A system that gives no more threads. Linked into a test program, it stands before pthread_create.
#pragma once

namespace mlprof::fakes {

/// While one lives, `count` threads of the process cannot be made (EAGAIN), after `made` that can.
class RefusedThreads {
 public:
  explicit RefusedThreads(int count, int made = 0);
  ~RefusedThreads();
  RefusedThreads(const RefusedThreads&) = delete;
  RefusedThreads& operator=(const RefusedThreads&) = delete;
};

}  // namespace mlprof::fakes
