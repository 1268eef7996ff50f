// Whoever is given the rows of a dataset, one after the other.
#pragma once

#include <string>
#include <utility>

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

}  // namespace mlprof::server
