// A Content-Type header, taken apart. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mlprof::server {

struct ContentType {
  std::string type;                               // lower case: "text/csv"
  std::map<std::string, std::string> parameters;  // both in lower case, quotes removed

  /// "" where there is none.
  std::string Parameter(const std::string& name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "" : found->second;
  }
};

ContentType ParseContentType(std::string_view header);

}  // namespace mlprof::server
