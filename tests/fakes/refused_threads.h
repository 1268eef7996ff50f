// A system that gives no more threads. Linked into a test program, it stands before pthread_create.
#pragma once

namespace mlprof::testing {

/// While one lives, the next `count` threads of the process cannot be made (EAGAIN).
class RefusedThreads {
 public:
  explicit RefusedThreads(int count);
  ~RefusedThreads();
  RefusedThreads(const RefusedThreads&) = delete;
  RefusedThreads& operator=(const RefusedThreads&) = delete;
};

}  // namespace mlprof::testing
