// What a command touches outside of itself, so that tests can stand in for all of it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "client/include/mlprof/follow.h"
#include "client/include/mlprof/transport.h"

namespace mlprof::client::cli {

struct Surroundings {
  std::ostream& out;  // results
  std::ostream& err;  // progress and messages
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool can_ask = false;                 // stdin and stderr are terminals
  std::function<bool()> confirms = {};  // whether the next line of stdin is a yes; where can_ask
  int columns = 80;
  std::function<std::optional<std::string>(const std::string& name)> environment;
  std::function<Result<std::unique_ptr<RestTransport>>(
      const std::string& url, const std::string& token, const std::string& ca_file)>
      connect;
  std::filesystem::path program_folder;  // where this program lies; its server lies beside it
  FollowOptions follow = {};             // how patiently a profile is watched
};

/// Those of this process.
Surroundings RealSurroundings();

}  // namespace mlprof::client::cli
