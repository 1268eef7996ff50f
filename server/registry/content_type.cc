#include "server/registry/content_type.h"

namespace mlprof {
namespace {

std::string Clean(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  text = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace

ContentType ParseContentType(std::string_view header) {
  ContentType parsed;
  std::size_t end = header.find(';');
  parsed.type = Clean(header.substr(0, end));
  while (end != std::string_view::npos) {
    header.remove_prefix(end + 1);
    end = header.find(';');
    const std::string_view parameter = header.substr(0, end);
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    parsed.parameters[Clean(parameter.substr(0, equals))] = Clean(parameter.substr(equals + 1));
  }
  return parsed;
}

}  // namespace mlprof
