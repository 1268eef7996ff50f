// Builds the path and query of a request with everything percent-encoded (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace mlprof::client {

class Target {
 public:
  /// `path` is written by the program ("/models") and taken as it is.
  explicit Target(std::string path) : path_(std::move(path)) {}

  /// Adds "/segment", encoded.
  Target& Segment(std::string_view segment);
  /// Adds "key=value", encoded; an empty value is left out.
  Target& Query(std::string_view key, std::string_view value);
  std::string Text() const { return query_.empty() ? path_ : path_ + "?" + query_; }

 private:
  std::string path_;
  std::string query_;
};

}  // namespace mlprof::client
