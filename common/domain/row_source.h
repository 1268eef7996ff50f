// The rows of a dataset as a run takes them: from memory, or from a file far larger than it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/domain/dataset.h"
#include "common/result/result.h"
#include "common/units/bytes.h"

namespace mlprof {

/// Thread-safe. `row` is below count().
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::size_t count() const = 0;
  virtual Bytes SizeOf(std::uint32_t row) const = 0;
  /// Puts the row in place of what `into` holds. May wait for a disk.
  virtual Status Read(std::uint32_t row, std::string& into) const = 0;
  /// The row where it lies in memory; null where it must be read. The same for all rows.
  virtual const std::string* Held(std::uint32_t) const { return nullptr; }
};

/// Rows in memory.
class HeldRows final : public RowSource {
 public:
  explicit HeldRows(Rows rows) : rows_(std::move(rows)) {}

  std::size_t count() const override { return rows_.size(); }
  Bytes SizeOf(std::uint32_t row) const override { return Bytes(std::ssize(rows_[row])); }
  Status Read(std::uint32_t row, std::string& into) const override {
    into = rows_[row];
    return {};
  }
  const std::string* Held(std::uint32_t row) const override { return &rows_[row]; }

 private:
  const Rows rows_;
};

}  // namespace mlprof
