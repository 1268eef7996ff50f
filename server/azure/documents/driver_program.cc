#include "server/azure/documents/driver_program.h"

namespace mlprof::server {
namespace {

// The string a line ends with but for `closing`: os.path.join(..., 'src/score.py')
std::optional<std::string> LastString(std::string_view line, std::string_view closing) {
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  if (!line.ends_with(closing)) return std::nullopt;
  line.remove_suffix(closing.size());
  if (line.empty() || (line.back() != '\'' && line.back() != '"')) return std::nullopt;
  const char quote = line.back();
  line.remove_suffix(1);
  const std::size_t start = line.rfind(quote);
  if (start == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(start + 1);
  if (text.find('\\') != std::string_view::npos) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<DriverProgram> ReadDriver(std::string_view text) {
  DriverProgram driver;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("sys.path.append(")) {
      driver.source_directory = LastString(line, "))").value_or("");
    } else if (line.starts_with("script_location = ")) {
      driver.entry_script = LastString(line, ")").value_or("");
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  if (driver.entry_script.empty()) return std::nullopt;
  return driver;
}

}  // namespace mlprof::server
