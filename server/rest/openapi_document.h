// api/openapi.yaml, built in.
#pragma once

#include <string_view>

namespace mlprof {

std::string_view OpenApiDocument();

}  // namespace mlprof
