// The name under which a file or folder given in place of an id is registered. Pure.
#pragma once

#include <filesystem>
#include <string>

namespace mlprof::client::cli {

/// "model-1f0c3a9b": what the path calls it, and a digest of where it really lies. The models of
/// two projects' ./model have two names, and one file has one name from wherever it is spelled.
std::string NameOfPath(const std::filesystem::path& path, const std::filesystem::path& canonical);

}  // namespace mlprof::client::cli
