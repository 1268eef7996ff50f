#include "client/src/target.h"

#include "common/text/percent.h"

namespace mlprof::client {

Target& Target::Segment(std::string_view segment) {
  path_ += '/';
  path_ += PercentEncode(segment);
  return *this;
}

Target& Target::Query(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  if (!query_.empty()) query_ += '&';
  query_ += PercentEncode(key) + "=" + PercentEncode(value);
  return *this;
}

}  // namespace mlprof::client
