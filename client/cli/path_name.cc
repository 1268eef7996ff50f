#include "client/cli/path_name.h"

#include "client/include/mlprof/pack_tar.h"
#include "common/hash/sha256.h"

namespace mlprof::client::cli {
namespace {

constexpr std::size_t kDigits = 8;
constexpr std::size_t kLongestName = 255;

}  // namespace

std::string NameOfPath(const std::filesystem::path& path, const std::filesystem::path& canonical) {
  const std::string digits = Sha256Hex(canonical.string()).substr(0, kDigits);
  return BaseName(path).substr(0, kLongestName - 1 - kDigits) + "-" + digits;
}

}  // namespace mlprof::client::cli
