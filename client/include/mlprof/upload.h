// A file to be streamed to the server.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "common/units/bytes.h"

namespace mlprof::client {

struct Upload {
  std::filesystem::path file;
  std::string content_type;
  std::function<void(Bytes sent, Bytes total)> on_progress;  // may be empty; from any thread
};

}  // namespace mlprof::client
