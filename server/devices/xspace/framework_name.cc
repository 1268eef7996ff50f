#include "server/devices/xspace/framework_name.h"

namespace mlprof::server::xspace {

std::string_view TypeIn(std::string_view full) {
  const std::size_t colon = full.rfind(':');
  if (colon != std::string_view::npos && colon + 1 < full.size()) return full.substr(colon + 1);
  const std::string_view name = full.substr(0, colon);
  const std::size_t slash = name.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return last.empty() ? "Unknown" : last;
}

FrameworkName ParseFrameworkName(std::string_view full) {
  return {std::string(full.substr(0, full.rfind(':'))), std::string(TypeIn(full))};
}

}  // namespace mlprof::server::xspace
