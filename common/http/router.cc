#include "common/http/router.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "common/text/ascii.h"
#include "common/text/percent.h"

namespace mlprof {
namespace {

[[noreturn]] void AbortOnMistake(const Route& route, const char* mistake) {
  std::fprintf(stderr, "route %s %s: %s\n", route.method.c_str(), route.pattern.c_str(), mistake);
  std::abort();
}

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> segments;
  path.remove_prefix(1);
  while (true) {
    const std::size_t end = path.find('/');
    segments.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return segments;
    path.remove_prefix(end + 1);
  }
}

/// RFC 3986 pchar without ';', which some servers take for the start of a parameter.
bool IsPathCharacter(char c) {
  return IsAlnum(c) || std::string_view("-._~!$&'()*+,=:@%").find(c) != std::string_view::npos;
}

std::optional<std::string> DecodeSegment(std::string_view raw) {
  if (!std::all_of(raw.begin(), raw.end(), IsPathCharacter)) return std::nullopt;
  auto decoded = PercentDecode(raw);
  if (!decoded || *decoded == "." || *decoded == "..") return std::nullopt;
  const bool harmful = std::any_of(decoded->begin(), decoded->end(), [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (harmful) return std::nullopt;
  return decoded;
}

std::optional<std::vector<std::string>> DecodePath(std::string_view path) {
  if (path.empty() || path.front() != '/') return std::nullopt;
  std::vector<std::string> segments;
  for (const std::string_view raw : SplitPath(path)) {
    auto segment = DecodeSegment(raw);
    if (!segment) return std::nullopt;
    segments.push_back(std::move(*segment));
  }
  return segments;
}

std::string Join(const std::vector<std::string>& segments, std::size_t from) {
  std::string joined = segments[from];
  for (std::size_t i = from + 1; i < segments.size(); ++i) joined += "/" + segments[i];
  return joined;
}

}  // namespace

Router::Pattern Router::ParsePattern(std::string_view pattern) {
  Pattern parsed;
  for (const std::string_view text : SplitPath(pattern)) {
    const bool parameter = text.starts_with('{') && text.ends_with('}');
    if (!parameter) {
      parsed.push_back({Segment::Kind::kLiteral, std::string(text)});
    } else if (text.ends_with("...}")) {
      parsed.push_back({Segment::Kind::kRest, std::string(text.substr(1, text.size() - 5))});
    } else {
      parsed.push_back({Segment::Kind::kParameter, std::string(text.substr(1, text.size() - 2))});
    }
  }
  return parsed;
}

void Router::Add(Route route) {
  if (!route.pattern.starts_with('/')) AbortOnMistake(route, "a pattern starts with '/'");
  for (const Route& known : routes_) {
    if (known.method == route.method && known.pattern == route.pattern) {
      AbortOnMistake(route, "added twice");
    }
  }
  patterns_.push_back(ParsePattern(route.pattern));
  routes_.push_back(std::move(route));
}

bool Router::Matches(const Pattern& pattern, const std::vector<std::string>& segments) {
  const bool has_rest = pattern.back().kind == Segment::Kind::kRest;
  if (has_rest ? segments.size() < pattern.size() : segments.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& expected = pattern[std::min(i, pattern.size() - 1)];
    if (expected.kind == Segment::Kind::kLiteral ? segments[i] != expected.text
                                                 : segments[i].empty()) {
      return false;
    }
  }
  return true;
}

Router::Match Router::Find(std::string_view method, std::string_view path) const {
  Match match;
  const auto segments = DecodePath(path);
  if (!segments) {
    match.bad_path = true;
    return match;
  }
  const auto kinds_below = [](const Pattern& a, const Pattern& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [](const Segment& x, const Segment& y) { return x.kind < y.kind; });
  };
  const Pattern* best = nullptr;
  std::set<std::string> allowed;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (!Matches(patterns_[i], *segments)) continue;
    const std::string& offered = routes_[i].method;
    allowed.insert(offered);
    if (offered == "GET") allowed.insert("HEAD");
    if (offered != method && !(method == "HEAD" && offered == "GET")) continue;
    if (best && !kinds_below(patterns_[i], *best)) continue;
    best = &patterns_[i];
    match.route = &routes_[i];
  }
  match.allowed_methods.assign(allowed.begin(), allowed.end());
  for (std::size_t i = 0; best && i < best->size(); ++i) {
    const Segment& segment = (*best)[i];
    if (segment.kind == Segment::Kind::kLiteral) continue;
    match.parameters[segment.text] =
        segment.kind == Segment::Kind::kRest ? Join(*segments, i) : (*segments)[i];
  }
  return match;
}

}  // namespace mlprof
