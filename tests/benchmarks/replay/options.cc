#include "tests/benchmarks/replay/options.h"

#include <cstdlib>

namespace mlprof::server::bench {
namespace {

// Takes one option with its value; false where it is none or the value is wrong.
bool Take(ReplayOptions& options, const std::string& name, const std::string& value) {
  const double number = std::strtod(value.c_str(), nullptr);
  const int count = std::atoi(value.c_str());
  if (name == "--concurrency") {
    options.concurrency = count;
    return count > 0;
  }
  if (name == "--rate") {
    options.rate = number;
    return number > 0;
  }
  if (name == "--ahead") {
    options.ahead = std::chrono::milliseconds(count);
    return count >= 0;
  }
  if (name == "--seconds") {
    options.turn = std::chrono::seconds(count);
    return count > 0;
  }
  if (name == "--rounds") {
    options.rounds = count;
    return count > 0;
  }
  if (name == "--target") {
    options.sleeper = value == "sleep5";
    return options.sleeper || value == "static";
  }
  options.json = name == "-o" && value == "json";
  return options.json;
}

}  // namespace

std::optional<ReplayOptions> ParseReplayOptions(const std::vector<std::string>& arguments) {
  ReplayOptions options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (arguments[i] == "--help") {
      options.help = true;
      return options;
    }
    if (i + 1 == arguments.size() || !Take(options, arguments[i], arguments[i + 1])) {
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace mlprof::server::bench
