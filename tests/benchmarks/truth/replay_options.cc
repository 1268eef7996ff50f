#include "tests/benchmarks/truth/replay_options.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

namespace truth {
namespace {

constexpr const char* kUsage =
    "usage: bench-truth-replay --rows FILE [--pid N] [--port N] [--path P] [--content-type T]\n"
    "         [--timeout-seconds N] [--ready-path P] [--ready-seconds N]\n"
    "         [--first-visits 1] [--together N] [--warm-passes N] [--steady 1]\n"
    "         [--warm-longest S] [--connections keepAlive|perRequest|both]\n"
    "         [--concurrency N | --rate R] [--passes N] [--requests N] [--seconds S]\n"
    "         [--longest S] [--seed N] [--distinct 1] [--stop-at-failure 1] [--hopeless-ms X]\n";

[[noreturn]] void RefuseUse() {
  std::fputs(kUsage, stderr);
  std::exit(2);
}

using Setter = std::function<void(const char*)>;

Setter Number(int& field) {
  return [&field](const char* v) { field = std::atoi(v); };
}

Setter Flag(bool& field) {
  return [&field](const char* v) { field = *v == '1'; };
}

Setter Text(std::string& field) {
  return [&field](const char* v) { field = v; };
}

Setter WholeSeconds(std::chrono::seconds& field) {
  return [&field](const char* v) { field = std::chrono::seconds(std::atoi(v)); };
}

Setter Seconds(std::chrono::duration<double>& field, double unit = 1) {
  return
      [&field, unit](const char* v) { field = std::chrono::duration<double>(std::atof(v) * unit); };
}

Setter Connections(ReplayOptions& options) {
  return [&options](const char* v) {
    const std::string_view value = v;
    options.keep_alive = value != "perRequest";
    options.per_request = value != "keepAlive";
    if (options.keep_alive && options.per_request && value != "both") RefuseUse();
  };
}

}  // namespace

ReplayOptions ParseReplayOptions(int argc, char** argv) {
  ReplayOptions options;
  Endpoint& endpoint = options.endpoint;
  Load& load = options.load;
  const std::map<std::string, Setter> known = {
      {"--rows", Text(options.rows_file)},
      {"--pid", Text(options.pid)},
      {"--port", [&](const char* v) { endpoint.port = static_cast<std::uint16_t>(std::atoi(v)); }},
      {"--path", Text(endpoint.path)},
      {"--content-type", Text(endpoint.content_type)},
      {"--timeout-seconds", WholeSeconds(endpoint.timeout)},
      {"--ready-path", Text(options.ready_path)},
      {"--ready-seconds", WholeSeconds(options.ready_within)},
      {"--first-visits", Flag(options.first_visits)},
      {"--together", Number(options.together)},
      {"--warm-passes", Number(options.warm_passes)},
      {"--steady", Flag(options.steady)},
      {"--warm-longest", Seconds(options.warm_longest)},
      {"--connections", Connections(options)},
      {"--concurrency", Number(load.concurrency)},
      {"--rate", [&](const char* v) { load.rate = std::atof(v); }},
      {"--passes", Number(load.passes)},
      {"--requests", Number(load.requests)},
      {"--seconds", Seconds(load.seconds)},
      {"--longest", Seconds(load.longest)},
      {"--seed", [&](const char* v) { load.seed = static_cast<std::uint32_t>(std::atoi(v)); }},
      {"--distinct", Flag(load.distinct)},
      {"--hopeless-ms", Seconds(load.hopeless, 1e-3)},
      {"--stop-at-failure", Flag(load.stop_at_failure)}};
  for (int i = 1; i < argc; i += 2) {
    const auto option = known.find(argv[i]);
    if (option == known.end() || i + 1 == argc) RefuseUse();
    option->second(argv[i + 1]);
  }
  return options;
}

}  // namespace truth
