#include "server/runtime/unpacked_content.h"

#include <system_error>

#include "common/os/read_text.h"

namespace mlprof::server {

Result<std::string> UnpackedContent::ReadFile(const std::string& path, Bytes most) const {
  std::error_code error;
  const auto root = std::filesystem::canonical(folder_, error);
  const auto file = std::filesystem::canonical(folder_ / path, error);
  if (error || !std::filesystem::is_regular_file(file, error)) {
    return Fail(InvalidArgument("'" + path + "' is not in " + owner_));
  }
  // Links are refused where an archive is unpacked; this holds for whatever else makes one.
  const auto below = file.lexically_relative(root);
  if (below.empty() || below.begin()->string() == "..") {
    return Fail(InvalidArgument("'" + path + "' leads out of " + owner_));
  }
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > static_cast<std::uintmax_t>(most.count())) {
    return Fail(InvalidArgument("'" + path + "' is too large"));
  }
  return ReadText(file);
}

}  // namespace mlprof::server
