// What a third party throws (and what runs out of memory) as a value.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "common/result/result.h"

namespace mlprof {

/// What `work() -> Result<T>` gives, or kInternal with the words of what it threw.
template <class Work>
std::invoke_result_t<Work> Caught(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& error) {
    return Fail(Internal(std::string("an unexpected exception: ") + error.what()));
  }
}

}  // namespace mlprof
