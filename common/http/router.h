// (method, path pattern) → handler. Literal patterns, greppable; {name} is one path segment and a
// last segment {name...} is the rest (one or more). Literals win over parameters, those over the
// rest; GET routes answer HEAD. Built at start, then read from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/http/message.h"

namespace mlprof {

/// Runs on a worker thread and may block. An escaped exception is logged and answered 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

/// What the server does with a request's body before the handler runs.
struct BodyPolicy {
  enum class Kind { kNone, kBuffered, kSpooled } kind = Kind::kBuffered;
  Bytes limit = MiB(1);  // 413 above it
};

struct Route {
  std::string method;
  std::string pattern;  // "/models/{id}/content"
  BodyPolicy body;
  HttpHandler handler;
};

class Router {
 public:
  /// A programmer's mistake (the same method and pattern twice) aborts.
  void Add(Route route);

  struct Match {
    const Route* route = nullptr;                   // null: no such path or method
    std::map<std::string, std::string> parameters;  // decoded once
    std::vector<std::string> allowed_methods;       // for 405; empty means 404
    bool bad_path = false;  // %2f, %5c, control characters, ';', dot segments, bad escapes: 400
  };
  Match Find(std::string_view method, std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Segment {
    enum class Kind { kLiteral, kParameter, kRest } kind;
    std::string text;  // the literal, or the parameter's name
    auto operator<=>(const Segment&) const = default;
  };
  using Pattern = std::vector<Segment>;

  static Pattern ParsePattern(std::string_view pattern);
  static bool Matches(const Pattern& pattern, const std::vector<std::string>& segments);

  std::vector<Route> routes_;
  std::vector<Pattern> patterns_;  // of routes_, index by index
};

}  // namespace mlprof
