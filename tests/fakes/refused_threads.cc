#include "tests/fakes/refused_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<int> made_first = 0;
std::atomic<int> refused = 0;

// One less, unless there is none left.
bool TakeOne(std::atomic<int>& count) {
  for (int left = count.load(); left > 0;) {
    if (count.compare_exchange_weak(left, left - 1)) return true;
  }
  return false;
}

}  // namespace

// libstdc++ finds this one before the C library's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!TakeOne(made_first) && TakeOne(refused)) return EAGAIN;
  return next(thread, attributes, work, argument);
}

namespace mlprof::fakes {

RefusedThreads::RefusedThreads(int count, int made) {
  made_first = made;
  refused = count;
}
RefusedThreads::~RefusedThreads() { refused = made_first = 0; }

}  // namespace mlprof::fakes
