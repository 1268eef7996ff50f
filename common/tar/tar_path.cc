#include "common/tar/tar_path.h"

namespace mlprof {
namespace {

constexpr std::size_t kMaxComponent = 255;  // NAME_MAX of every usual file system

tl::unexpected<Error> Refuse(std::string_view name, const char* why) {
  return Fail(InvalidArgument("the entry " + Quoted(name) + " " + why));
}

}  // namespace

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name.substr(0, 200)) quoted += c >= ' ' && c <= '~' ? c : '?';
  return quoted + (name.size() > 200 ? "…\"" : "\"");
}

Result<std::string> SafeTarPath(std::string_view name, std::size_t max_bytes, int max_depth) {
  const std::string_view given = name;
  if (name.empty()) return Refuse(given, "has an empty name");
  if (name.size() > max_bytes) return Refuse(given, "has too long a name");
  if (name.find('\0') != std::string_view::npos) return Refuse(given, "has a NUL in its name");
  if (name.front() == '/') return Refuse(given, "has an absolute path");
  while (name.starts_with("./")) name.remove_prefix(2);
  if (name == ".") name = "";
  if (name.ends_with('/')) name.remove_suffix(1);
  std::string_view rest = name;
  for (int depth = 1; !rest.empty(); ++depth) {
    if (depth > max_depth) return Refuse(given, "lies too deep");
    const std::size_t slash = rest.find('/');
    const std::string_view component = rest.substr(0, slash);
    if (component.empty() || slash == rest.size() - 1) {
      return Refuse(given, "has an empty part in its path");
    }
    if (component == "." || component == "..") return Refuse(given, "has . or .. in its path");
    if (component.size() > kMaxComponent) return Refuse(given, "has too long a name");
    rest = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  }
  return std::string(name);
}

}  // namespace mlprof
