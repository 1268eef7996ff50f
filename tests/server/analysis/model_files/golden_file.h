// The files in tests/fixtures/model_files, which the libraries made whose formats they are.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "server/analysis/model_files/byte_cursor.h"
#include "server/analysis/model_files/read_weights.h"

namespace mlprof::server {

inline std::filesystem::path ModelFilesFolder() {
  return std::filesystem::path(MLPROF_SOURCE_DIR) / "tests/fixtures/model_files";
}

inline std::string ModelFile(const std::string& name) {
  std::ifstream in(ModelFilesFolder() / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::optional<WeightsFile> WeightsOf(std::string content, const std::string& name) {
  BytesInMemory bytes(std::move(content));
  return ReadWeights(bytes, name);
}

inline std::optional<WeightsFile> WeightsOf(const std::string& name) {
  return WeightsOf(ModelFile(name), name);
}

}  // namespace mlprof::server
