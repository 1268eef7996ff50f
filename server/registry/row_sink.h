// Whoever is given the rows of a dataset, one after the other, and the collector that hands them on
// as they are decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/domain/dataset.h"
#include "common/result/result.h"

namespace mlprof::server {

class RowSink {
 public:
  virtual ~RowSink() = default;
  /// An error ends the giving.
  virtual Status Add(std::string row) = 0;
};

/// Keeps them all.
class KeptRows final : public RowSink {
 public:
  Status Add(std::string row) override {
    rows_.push_back(std::move(row));
    return {};
  }
  Rows Take() { return std::move(rows_); }

 private:
  Rows rows_;
};

/// Hands on the rows of a dataset, up to the first that is wrong, and gathers what is wrong with
/// them. One use each.
class RowCollector {
 public:
  /// `sink` outlives it.
  explicit RowCollector(RowSink& sink) : sink_(sink) {}

  /// A row that is text: it must be UTF-8.
  void AddText(std::string_view text);
  void AddBytes(std::string bytes);
  /// A row that cannot be taken, and why.
  void Refuse(std::string detail);

  /// False once nothing more is worth reading: too many rows or too many faults, or the
  /// sink has failed.
  bool WantsMore() const;
  /// The first error, if any; the rows are good for nothing then.
  Status Finish() &&;

 private:
  RowSink& sink_;
  std::size_t given_ = 0;
  std::size_t seen_ = 0;  // given and refused
  std::optional<Error> failed_;
  std::vector<FieldError> faults_;
};

}  // namespace mlprof::server
