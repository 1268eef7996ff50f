// The program Azure ML's clients put up beside an entry script, to load it. mlprof serves the
// script itself; where no environment says which one that is, the driver does. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mlprof::server {

struct DriverProgram {
  std::string entry_script;      // "src/score.py", from where the source is unpacked
  std::string source_directory;  // "src"; "" for a script that was put up alone
};

/// nullopt for a text that is no such driver.
std::optional<DriverProgram> ReadDriver(std::string_view text);

}  // namespace mlprof::server
