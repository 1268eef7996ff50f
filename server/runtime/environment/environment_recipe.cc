#include "server/runtime/environment/environment_recipe.h"

#include <cstdint>
#include <string_view>

#include "common/hash/sha256.h"
#include "common/json/json.h"
#include "server/runtime/environment/requirements.h"

namespace mlprof::server::environment {
namespace {

// Part of the hash. Counts up with every change of the script or of what is installed besides, so
// that environments made before are not used.
constexpr int kRecipeVersion = 2;
// The server of entry scripts. A range, because the other packages may need an older one.
constexpr const char* kServer = "azureml-inference-server-http>=1,<2";

Result<std::string> ReadSourceFile(const ContentReader* source, const std::string& name) {
  constexpr Bytes kLargest = MiB(1);
  if (source == nullptr) return Fail(InvalidArgument("'" + name + "' is not in the source"));
  return source->ReadFile(name, kLargest);
}

Status AddRequirements(const EntryScriptConfig& config, const ContentReader* source,
                       Recipe& recipe) {
  const Result<std::string> content = ReadSourceFile(source, config.requirements_file);
  if (!content) return Fail(content.error());
  const Result<std::vector<std::string>> packages = ParseRequirements(*content);
  if (!packages) return Fail(packages.error().WithContext(config.requirements_file));
  recipe.packages.insert(recipe.packages.end(), packages->begin(), packages->end());
  return {};
}

Result<CondaFile> ReadConda(const EntryScriptConfig& config, const ContentReader* source) {
  if (config.conda_dependencies_file.empty()) return CondaFile();
  const Result<std::string> content = ReadSourceFile(source, config.conda_dependencies_file);
  if (!content) return Fail(content.error());
  auto conda = ParseCondaFile(*content);
  if (!conda) return Fail(conda.error().WithContext(config.conda_dependencies_file));
  return conda;
}

Status AddConda(const EntryScriptConfig& config, const ContentReader* source, Recipe& recipe) {
  MLPROF_LET(conda, ReadConda(config, source));
  for (const std::string& package : config.conda_packages) AddCondaPackage(package, conda);
  recipe.conda_python = conda.python_version;
  recipe.packages.insert(recipe.packages.end(), conda.pip_packages.begin(),
                         conda.pip_packages.end());
  if (conda.conda_packages.empty()) return {};
  std::string names;
  for (const std::string& name : conda.conda_packages) {
    names += (names.empty() ? "" : ", ") + name;
  }
  recipe.warnings.push_back({"condaPackagesIgnored",
                             "of the conda file only the pip part is installed; left out: " + names,
                             "list what the script needs under pip:, or use a base image with "
                             "them"});
  return {};
}

}  // namespace

Result<Recipe> RecipeOf(const EntryScriptConfig& config, const ContentReader* source) {
  Recipe recipe;
  recipe.packages.emplace_back(kServer);
  for (const std::string& package : config.pip_packages) {
    MLPROF_TRY(CheckPackageSpec(package));
    recipe.packages.push_back(package);
  }
  if (!config.requirements_file.empty()) MLPROF_TRY(AddRequirements(config, source, recipe));
  MLPROF_TRY(AddConda(config, source, recipe));
  return recipe;
}

std::string RecipeHash(const Recipe& recipe, const std::string& base_image_id) {
  const Json content = {
      {"version", kRecipeVersion}, {"base", base_image_id}, {"packages", recipe.packages}};
  return Sha256Hex(DumpJson(content)).substr(0, 16);
}

std::vector<Warning> PythonWarnings(const std::string& asked, const std::string& python) {
  const bool same = python == asked || python.rfind(asked + ".", 0) == 0;
  if (asked.empty() || python.empty() || same) return {};
  return {{"pythonVersionDiffers",
           "the conda file asks for Python " + asked + ", the base image has " + python,
           "give a base image with that Python (environment.docker.baseImage)"}};
}

// Compiled once here: the root is read-only at run time, so every start would compile anew. The
// tests inside packages are never imported.
const char* const kPreparationScript = R"script(set -eu
umask 022
. /run/mlprof/environment
export HOME=/tmp
if ! command -v python3 > /dev/null 2>&1; then
  echo "the base image has no python3" >&2
  exit 1
fi
echo "mlprof: python $(python3 -c 'import platform; print(platform.python_version())')"
if ! python3 -c 'import ensurepip' 2> /dev/null && ! python3 -c 'import pip' 2> /dev/null; then
  echo "the Python of the base image has neither pip nor ensurepip (Debian: python3-venv)" >&2
  exit 1
fi
python3 -m venv --system-site-packages /opt/mlprof/venv 2> /dev/null ||
  python3 -m venv --system-site-packages --without-pip /opt/mlprof/venv
/opt/mlprof/venv/bin/python -m pip install --no-input --no-compile --no-cache-dir \
  --disable-pip-version-check --no-python-version-warning --progress-bar off -- "$@"
# Where the base image has the server already, pip makes no program for it.
cat > /opt/mlprof/venv/bin/serve-entry-script << 'END'
#!/opt/mlprof/venv/bin/python
from azureml_inference_server_http.amlserver import run

run()
END
chmod 755 /opt/mlprof/venv/bin/serve-entry-script
echo "mlprof: compiling"
/opt/mlprof/venv/bin/python -m compileall -q -j 0 -x '/tests?/' /opt/mlprof/venv/lib \
  > /dev/null 2>&1 || true
)script";

}  // namespace mlprof::server::environment
