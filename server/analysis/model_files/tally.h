// Adds up the tensors of a file by type. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/domain/model_weights.h"
#include "common/result/result.h"

namespace mlprof::server {

class Tally {
 public:
  /// One tensor. An error where the sum is beyond any machine's memory, as a hostile file's is.
  Status Add(std::string_view type, std::int64_t elements, std::int64_t bytes);

  std::int64_t tensors() const { return tensors_; }
  /// The most bytes first.
  std::vector<TypedParameters> ByType() const;

 private:
  std::int64_t tensors_ = 0;
  std::int64_t elements_ = 0;  // of all types
  std::int64_t bytes_ = 0;
  std::map<std::string, TypedParameters, std::less<>> by_type_;
};

}  // namespace mlprof::server
