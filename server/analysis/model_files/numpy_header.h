// The head of an array as numpy.save writes it. Pure.
#pragma once

#include "server/analysis/model_files/byte_cursor.h"
#include "server/analysis/model_files/tally.h"

namespace mlprof::server {

/// Adds the array whose file begins at `cursor`; afterwards the cursor stands before its data.
/// `file_size`: of the array with its head; what it holds must not be more.
Status AddNumPyArray(ByteCursor& cursor, std::uint64_t file_size, Tally& tally);

}  // namespace mlprof::server
