// Compares output with a file under tests/golden; UPDATE_GOLDEN=1 rewrites the file.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace mlprof {

inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string file = std::string(MLPROF_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text, golden.str()) << "differs from " << file;
}

}  // namespace mlprof
