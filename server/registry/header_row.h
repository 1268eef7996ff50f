// Rows whose first may be a column's name that was never meant for the model. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "common/domain/dataset.h"
#include "common/domain/warning.h"

namespace mlprof::server {

/// How many of the first rows are looked at, and how many bytes of each: the row that may be a
/// header with a hundred after it, and one byte more than the longest name of a column that is
/// believed. Chosen, not measured.
inline constexpr std::size_t kHeaderRowsSeen = 101;
inline constexpr std::size_t kHeaderBytesSeen = 65;

/// The first row, where it looks like a header: it is one bare word as columns are called
/// ("review_text"), and none of the next hundred rows is. "" where it does not.
std::string HeaderLikeRow(const Rows& rows);

/// What is told of it: the row is kept, and sent to the model like every other.
Warning HeaderWarning(const std::string& row);

}  // namespace mlprof::server
