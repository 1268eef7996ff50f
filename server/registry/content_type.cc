#include "server/registry/content_type.h"

#include "common/text/ascii.h"

namespace mlprof::server {
namespace {

std::string Clean(std::string_view text) {
  text = Trim(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return Lowercase(text);
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

}  // namespace mlprof::server
