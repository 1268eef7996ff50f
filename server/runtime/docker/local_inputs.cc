#include "server/runtime/docker/local_inputs.h"

#include <utility>

namespace mlprof::server::docker {

Result<std::vector<LocalInput>> LocalInputs(const std::vector<ContentInput>& inputs) {
  std::vector<LocalInput> local;
  for (const ContentInput& input : inputs) {
    std::optional<std::filesystem::path> folder = input.reader->LocalDirectory();
    if (!folder) {
      return Fail(InvalidArgument("what belongs at " + input.inside +
                                  " lies in no folder of this machine that Docker could mount"));
    }
    local.push_back({*std::move(folder), input.inside});
  }
  return local;
}

}  // namespace mlprof::server::docker
