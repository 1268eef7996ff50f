#include "server/azure/blobs/blob_path.h"

#include <algorithm>
#include <vector>

namespace mlprof::server {
namespace {

constexpr std::size_t kLongestPath = 1024;
constexpr std::ptrdiff_t kMostParts = 64;

bool IsHarmful(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\'; }

bool IsPart(std::string_view part) { return !part.empty() && part != "." && part != ".."; }

std::vector<std::string_view> Parts(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// Goes back to the last '*' alone, which is enough: an earlier one could take nothing more useful.
bool PartMatches(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::string CheckBlobPath(const std::string& path) {
  if (path.empty() || path.size() > kLongestPath) return "must have 1 to 1024 bytes";
  if (std::any_of(path.begin(), path.end(), IsHarmful)) {
    return "must not have a backslash or a control character";
  }
  if (std::count(path.begin(), path.end(), '/') >= kMostParts) return "must not lie so deep";
  std::string_view rest = path;
  for (;;) {
    const std::size_t slash = rest.find('/');
    if (!IsPart(rest.substr(0, slash))) {
      return "must be a relative path without empty parts, '.' and '..'";
    }
    if (slash == std::string_view::npos) return "";
    rest.remove_prefix(slash + 1);
  }
}

bool IsAtOrBelow(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

bool HasGlob(std::string_view pattern) { return pattern.find('*') != std::string_view::npos; }

std::string_view LiteralPrefix(std::string_view pattern) {
  return pattern.substr(0, pattern.find('*'));
}

bool MatchesGlob(std::string_view path, std::string_view pattern) {
  const auto texts = Parts(path);
  const auto patterns = Parts(pattern);
  // fits[i]: the first i parts of the path fit the parts of the pattern seen so far.
  std::vector<bool> fits(texts.size() + 1, false);
  fits[0] = true;
  for (const std::string_view wanted : patterns) {
    std::vector<bool> next(texts.size() + 1, false);
    for (std::size_t i = 0; i <= texts.size(); ++i) {
      if (wanted == "**") {
        next[i] = fits[i] || (i > 0 && next[i - 1]);
      } else {
        next[i] = i > 0 && fits[i - 1] && PartMatches(texts[i - 1], wanted);
      }
    }
    fits.swap(next);
  }
  return fits.back();
}

}  // namespace mlprof::server
