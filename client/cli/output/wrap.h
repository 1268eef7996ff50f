// Long lines for a terminal of a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mlprof::client::cli {

/// Breaks every line longer than `columns` at a space. What goes on stands below the beginning of
/// the value ("  label     value") or of the text. A word longer than the line stays whole.
std::string Wrapped(std::string_view text, std::size_t columns);

}  // namespace mlprof::client::cli
