// Gathers the rows of a dataset and what is wrong with them. Pure; one use each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/domain/dataset.h"
#include "common/result/result.h"

namespace mlprof {

class RowCollector {
 public:
  /// A row that is text: it must be UTF-8.
  void AddText(std::string_view text);
  void AddBytes(std::string bytes);
  /// A row that cannot be taken, and why.
  void Refuse(std::string detail);

  /// False once nothing more is worth reading: too many rows or too many faults.
  bool WantsMore() const;
  Result<Rows> Finish() &&;

 private:
  Rows rows_;
  std::size_t seen_ = 0;  // kept and refused
  std::vector<FieldError> faults_;
};

}  // namespace mlprof
