#include "common/log/thrown.h"

#include <exception>
#include <string>

#include "common/log/log.h"

namespace mlprof {
namespace {

std::string WhatIsHandled() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

}  // namespace

void LogThrown(std::string_view event, std::string_view where) noexcept {
  try {
    LogError(event, {{"where", std::string(where)}, {"why", WhatIsHandled()}});
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody left to tell
  }
}

}  // namespace mlprof
