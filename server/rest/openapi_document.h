// api/openapi.yaml, built in.
#pragma once

#include <string_view>

namespace mlprof::server {

std::string_view OpenApiDocument();

}  // namespace mlprof::server
