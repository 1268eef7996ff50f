// Result<T>: a value or an Error. One alias, so that std::expected can take over one day: use only
// has_value / operator bool / * / -> / value / error.
#pragma once

#include <tl/expected.hpp>

#include "common/result/error.h"

namespace mlprof {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}

}  // namespace mlprof

/// Returns from the calling function with the error of `expression` (a Status) if it has one.
#define MLPROF_TRY(expression)                                 \
  do {                                                         \
    if (auto mlprof_status = (expression); !mlprof_status) {   \
      return ::mlprof::Fail(std::move(mlprof_status).error()); \
    }                                                          \
  } while (false)

/// Declares `name` as the value of `expression` (a Result, or another expected value), or returns
/// from the calling function with its error.
#define MLPROF_LET(name, ...)                                                \
  auto name##_or_error = (__VA_ARGS__);                                      \
  if (!name##_or_error) {                                                    \
    return ::tl::unexpected<typename decltype(name##_or_error)::error_type>( \
        std::move(name##_or_error).error());                                 \
  }                                                                          \
  auto& name = *name##_or_error
