// How an entry script's environment is made, and the hash it is found again by. Pure, except that
// the files a config names are read from its source.
#pragma once

#include <string>
#include <vector>

#include "common/domain/inference_config.h"
#include "common/domain/warning.h"
#include "common/result/result.h"
#include "server/runtime/content_input.h"

namespace mlprof::server::environment {

inline constexpr const char* kRepository = "mlprof-env";
inline constexpr const char* kEnvironmentLabel = "mlprof.env";
inline constexpr const char* kSizeLabel = "mlprof.bytes";     // what was installed takes so many
inline constexpr const char* kPythonLabel = "mlprof.python";  // its version, "3.11.2"

struct Recipe {
  std::vector<std::string> packages;  // checked; the server that serves entry scripts first
  std::string conda_python;           // the Python a conda file asks for; "" for any
  std::vector<Warning> warnings;
};

/// kInvalidArgument naming the file and line, or the package, that cannot be taken. `source` may be
/// null where the config names no file of it.
Result<Recipe> RecipeOf(const EntryScriptConfig& config, const ContentReader* source);

/// 16 hex digits over everything that shapes the image; the tag of the image.
std::string RecipeHash(const Recipe& recipe, const std::string& base_image_id);

/// The fixed script that runs in the preparing container and installs to kEnvironmentFolder. The
/// packages are its arguments, so that nothing a request says is ever read by a shell.
extern const char* const kPreparationScript;
/// What the script says about the Python it found, at the start of a line.
inline constexpr const char* kPythonMark = "mlprof: python ";

/// `python` is "3.11.2", `asked` "3.8" or "": a warning where they differ as far as asked.
std::vector<Warning> PythonWarnings(const std::string& asked, const std::string& python);

}  // namespace mlprof::server::environment
