// Lists of a document that end somewhere, whatever a trace holds. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/json/json.h"

namespace mlprof::server::xspace {

/// Sets "stepsLeftOut" for "steps", where there are any: how many the list lacks.
void TellLeftOut(Json& document, const std::string& list, std::size_t count);
/// Sets `list` to the first `most` of the texts, each cut at kLongestName, and tells of the rest.
void SetTexts(Json& document, const std::string& list, const std::vector<std::string_view>& texts,
              std::size_t most);

}  // namespace mlprof::server::xspace
