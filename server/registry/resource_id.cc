#include "server/registry/resource_id.h"

#include <charconv>

#include "server/storage/names.h"

namespace mlprof::server {

std::optional<ResourceId> ParseResourceId(std::string_view id) {
  const std::size_t colon = id.find(':');
  ResourceId parsed{std::string(id.substr(0, colon))};
  if (!IsValidName(parsed.name)) return std::nullopt;
  if (colon == std::string_view::npos) return parsed;
  const std::string_view digits = id.substr(colon + 1);
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, parsed.version);
  // One spelling a version: "01" and "+1" are none.
  const bool good =
      error == std::errc() && stop == end && parsed.version >= 1 && digits.front() != '0';
  return good ? std::optional(parsed) : std::nullopt;
}

std::string MakeResourceId(const std::string& name, int version) {
  return name + ":" + std::to_string(version);
}

}  // namespace mlprof::server
