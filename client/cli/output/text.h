// Words and figures as people read them.
#pragma once

#include <string>
#include <string_view>

#include "common/time/timestamp.h"
#include "common/units/bytes.h"
#include "common/units/cores.h"

namespace mlprof::client::cli {

/// With every control character written out (\n, \t, \x1b), so that no server or model can drive
/// the terminal or break a line of a table.
std::string Visible(std::string_view text);
/// As Visible, but line ends and tabs stay.
std::string VisibleLines(std::string_view text);

/// At most `digits` significant digits, no trailing zeros: "0.4", "38.2", "1250".
std::string Figure(double value, int digits = 3);
std::string Text(Cores cores);         // "0.4 cores", "1 core"
std::string Text(Bytes bytes);         // "512 MiB", "1.5 GiB", "3 KiB"
std::string InMib(Bytes bytes);        // "512 MiB", however large
std::string Milliseconds(double ms);   // "12.1 ms"
std::string Duration(double seconds);  // "31 s", "2 min 5 s"
/// Local readers compare times: UTC to the second, "2026-11-20 19:10:00".
std::string Text(Timestamp when);

/// Columns of a terminal that UTF-8 `text` takes, counting a code point as one.
std::size_t Width(std::string_view text);
/// The first `columns` columns of it.
std::string Shortened(std::string_view text, std::size_t columns);

}  // namespace mlprof::client::cli
