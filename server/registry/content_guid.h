// A digest's first 128 bits as a GUID: the name Azure ML's clients know a dataset's content by
// ("savedDatasetId"). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof::server {

/// Of 64 hex digits: "7023130a-1ce0-4a1e-879b-09cb739bb8f8".
std::string ContentGuid(std::string_view sha256);
/// The 32 hex digits a GUID of any case stands for; nullopt for what is none.
std::optional<std::string> DigestPrefix(std::string_view guid);

}  // namespace mlprof::server
