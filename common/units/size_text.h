// A size as people say it. Pure.
#pragma once

#include <string>

#include "common/units/bytes.h"

namespace mlprof {

/// "900 bytes", "512 MiB", "10 GiB", "9.8 GiB": one digit behind the point at most.
std::string SizeText(Bytes bytes);

}  // namespace mlprof
