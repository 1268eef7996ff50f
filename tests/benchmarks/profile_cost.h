// What a profile costs besides the model itself: CPU and resident memory of a real mlprof-server
// and of the agent in its containers while one profile runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/json/json.h"

namespace mlprof::server::bench {

/// The model that is profiled and the rows it is sent.
struct ProfiledModel {
  std::string name;  // letters and digits
  std::string image;
  std::vector<std::string> command;
  std::string row;  // what each row begins with
};

/// Runs one profile of each model, one after the other, on a server of its own with its data in
/// `folder`; `programs` is where mlprof-server lies, `model_tar` any tar. Gives, by the model's
/// name, {"rowsPerSecond", "controller": {"cpuPercent", "residentInMib"}, "agent": {…}}: means over
/// the run and the largest memory seen. Throws std::runtime_error.
Json ProfileCosts(const std::filesystem::path& programs, const std::filesystem::path& folder,
                  const std::filesystem::path& model_tar, const std::vector<ProfiledModel>& models);

}  // namespace mlprof::server::bench
