#include "tests/fakes/refused_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<int> refused = 0;

}  // namespace

// libstdc++ finds this one before the C library's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  for (int left = refused.load(); left > 0;) {
    if (refused.compare_exchange_weak(left, left - 1)) return EAGAIN;
  }
  return next(thread, attributes, work, argument);
}

namespace mlprof::testing {

RefusedThreads::RefusedThreads(int count) { refused = count; }
RefusedThreads::~RefusedThreads() { refused = 0; }

}  // namespace mlprof::testing
