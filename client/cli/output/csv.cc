#include "client/cli/output/csv.h"

#include <charconv>
#include <cmath>

namespace mlprof::client::cli {
namespace {

bool IsNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

// A spreadsheet reads a cell that begins like this as a formula, and what stands in one may come
// from anybody: a quote makes it text.
std::string WithoutFormula(const std::string& field) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  const bool formula = !field.empty() && kBegins.find(field.front()) != std::string_view::npos;
  return formula && !IsNumber(field) ? "'" + field : field;
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  bool first = true;
  for (const std::string& given : fields) {
    const std::string field = WithoutFormula(given);
    if (!first) line += ',';
    first = false;
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace mlprof::client::cli
