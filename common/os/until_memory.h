// For the few steps that a program cannot leave out, however short memory is just now.
#pragma once

#include <chrono>
#include <new>
#include <thread>

namespace mlprof {

/// Calls `step` again, after a pause each time, until it is no longer refused memory: others give
/// some back when they are done.
template <class Step>
void UntilThereIsMemory(const Step& step) {
  constexpr std::chrono::milliseconds kPause{10};
  while (true) {
    try {
      return step();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace mlprof
