// Names of blobs and artifacts as clients give them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace mlprof::server {

/// "" where the decoded path is a fine one: relative, of parts that are neither empty nor "." or
/// "..", without backslash and control characters, at most 1024 bytes and 64 parts. Else what is
/// wrong with it, to be read after its name.
std::string CheckBlobPath(const std::string& path);

/// Whether `path` is `prefix` or lies below it.
bool IsAtOrBelow(std::string_view path, std::string_view prefix);

/// Whether `path` fits a pattern in which "*" stands for anything within a part and "**" for any
/// parts. Takes time in the order of both lengths multiplied at most.
bool MatchesGlob(std::string_view path, std::string_view pattern);
bool HasGlob(std::string_view pattern);
/// Up to the first wildcard: what every path that fits starts with.
std::string_view LiteralPrefix(std::string_view pattern);

}  // namespace mlprof::server
