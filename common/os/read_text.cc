#include "common/os/read_text.h"

#include <fstream>
#include <sstream>

namespace mlprof {

std::string ReadText(const std::filesystem::path& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace mlprof
