#include <algorithm>
#include <array>

#include "server/analysis/model_files/formats.h"
#include "server/analysis/model_files/pickle_scan.h"

namespace mlprof::server {
namespace {

// What stands in nearly every pickle and says nothing of the model.
constexpr std::array<std::string_view, 11> kCommonModules = {
    "numpy",     "builtins", "__builtin__", "copyreg", "copy_reg", "collections",
    "functools", "_codecs",  "joblib",      "scipy",   "datetime"};

bool IsCommon(const std::string& global) {
  const std::string_view package = std::string_view(global).substr(0, global.find('.'));
  return std::ranges::find(kCommonModules, package) != kCommonModules.end();
}

}  // namespace

Result<WeightsFile> ReadPickle(RandomBytes& bytes) {
  ByteCursor cursor(bytes);
  const PickleFacts facts = ScanPickle(cursor);
  const bool arrays_within = std::ranges::any_of(
      facts.globals, [](const std::string& global) { return global.starts_with("joblib."); });
  // joblib writes arrays between the instructions, which then cannot be followed further.
  if (!facts.whole && !arrays_within) {
    return Fail(InvalidArgument("the pickle ends before its end, or is none: is it whole?"));
  }
  WeightsFile file;
  file.format = WeightsFormat::kPickle;
  const auto model = std::ranges::find_if_not(facts.globals, IsCommon);
  if (model != facts.globals.end()) file.object = *model;
  return file;
}

}  // namespace mlprof::server
