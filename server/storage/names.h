// What names may look like. Pure.
#pragma once

#include <string_view>

namespace mlprof::server {

/// Letters, digits, '-', '_', '.'; 1 to 255 of them; the first a letter or digit.
bool IsValidName(std::string_view name);
/// A name, or SUBSCRIPTION/GROUP/NAME of three.
bool IsValidWorkspace(std::string_view workspace);

}  // namespace mlprof::server
