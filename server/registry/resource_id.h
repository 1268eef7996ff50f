// "name:version", or a bare name for its newest version. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof::server {

struct ResourceId {
  std::string name;
  int version = 0;  // 0: the newest
};

/// nullopt for what cannot be an id.
std::optional<ResourceId> ParseResourceId(std::string_view id);
std::string MakeResourceId(const std::string& name, int version);

}  // namespace mlprof::server
