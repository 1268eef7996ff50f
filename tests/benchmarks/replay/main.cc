// replay: what the replay engine reaches through the agent, with wrk on the same target beside it.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "tests/benchmarks/container/bench_container.h"
#include "tests/benchmarks/replay/in_network.h"
#include "tests/benchmarks/replay/turns.h"

namespace mlprof::server::bench {
namespace {

// Both load generators inherit it.
void PinTo(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  if (::sched_setaffinity(0, sizeof(set), &set) != 0) throw std::runtime_error("cannot be pinned");
}

// Of each figure, over the turns.
Json Medians(const std::vector<Json>& turns) {
  Json medians = Json::object();
  for (const auto& [name, value] : turns.front().items()) {
    std::vector<double> values;
    for (const Json& turn : turns) values.push_back(turn.at(name).get<double>());
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    medians[name] =
        values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
  return medians;
}

BenchContainerPlan PlanFor(const ReplayOptions& options, int cores) {
  BenchContainerPlan plan;
  plan.name = "mlprof-bench-replay";
  plan.program = Programs() / (options.sleeper ? "target-sleep-server" : "target-static-server");
  plan.command = {"/server", std::to_string(kTargetPort)};
  if (options.sleeper) plan.command.push_back("5");
  plan.port = kTargetPort;
  plan.limits = {Cores(static_cast<double>(cores)), MiB(256)};
  plan.cpuset = std::to_string(cores - 1);
  return plan;
}

Json Measure(const ReplayOptions& options) {
  const int cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (cores < 2) throw std::runtime_error("two cores are needed");
  PinTo(0);
  BenchContainer container(PlanFor(options, cores));
  std::vector<Json> replay;
  std::vector<Json> wrk;
  for (int round = 0; round <= options.rounds; ++round) {
    const Json replay_turn = ReplayTurn(container, options);
    const Json wrk_turn = WrkTurn(container, options);
    if (round == 0) continue;  // warms both up
    replay.push_back(replay_turn);
    wrk.push_back(wrk_turn);
  }
  Json result = {{"concurrency", options.concurrency},
                 {"target", options.sleeper ? "sleep5" : "static"},
                 {"secondsPerTurn", options.turn.count()},
                 {"rounds", options.rounds},
                 {"replay", Medians(replay)},
                 {"wrk", Medians(wrk)},
                 {"replayTurns", replay},
                 {"wrkTurns", wrk}};
  if (options.rate) result["rate"] = *options.rate;
  result["ratio"] = result["replay"]["requestsPerSecond"].get<double>() /
                    result["wrk"]["requestsPerSecond"].get<double>();
  return result;
}

struct Line {
  const char* key;
  const char* text;
  const char* format;
  double scale = 1;
};

constexpr Line kLines[] = {
    {"requestsPerSecond", "requests/s", "%14.0f"},
    {"failures", "failures", "%14.0f"},
    {"latencyP50InUs", "latency p50, us", "%14.0f"},
    {"latencyP99InUs", "latency p99, us", "%14.0f"},
    {"addedP50InUs", "of it before the row was written, p50, us", "%14.0f"},
    {"addedP99InUs", "of it before the row was written, p99, us", "%14.0f"},
    {"serviceP99InUs", "written to last byte, p99, us", "%14.0f"},
    {"clientCpuPerRequestInUs", "CPU of the load generator, us/request", "%14.2f"},
    {"agentCpuPerRequestInUs", "CPU of the agent, us/request", "%14.2f"},
    {"targetCpuPerRequestInUs", "CPU of the target, us/request", "%14.2f"},
    {"lagP50InUs", "send lag p50, us", "%14.0f"},
    {"lagP99InUs", "send lag p99, us", "%14.0f"},
    {"lagMaxInUs", "send lag max, us", "%14.0f"},
    {"lateRequests", "late requests", "%14.0f"},
    {"targetP50InUs", "the target's own p50, us", "%14.1f"},
    {"targetP99InUs", "the target's own p99, us", "%14.1f"},
    {"errorP50", "latency p50 above it, %", "%14.2f", 100},
    {"errorP99", "latency p99 above it, %", "%14.2f", 100},
    {"foreignCores", "other work on the host, cores", "%14.2f"},
};

void Print(const Json& result) {
  std::printf("%-44s %14s %14s\n", "medians", "replay", "wrk, direct");
  for (const Line& line : kLines) {
    if (!result["replay"].contains(line.key)) continue;
    std::printf("%-44s", line.text);
    for (const char* who : {"replay", "wrk"}) {
      std::putchar(' ');
      if (result[who].contains(line.key)) {
        std::printf(line.format, result[who][line.key].get<double>() * line.scale);
      } else {
        std::printf("%14s", "-");
      }
    }
    std::putchar('\n');
  }
  std::printf("replay / wrk: %.3f of the requests/s, %d rounds of %d s, %d in flight%s\n",
              result["ratio"].get<double>(), result["rounds"].get<int>(),
              result["secondsPerTurn"].get<int>(), result["concurrency"].get<int>(),
              result.contains("rate") ? " (wrk only)" : "");
}

int Main(const std::vector<std::string>& arguments) {
  const auto options = ParseReplayOptions(arguments);
  if (!options || options->help) {
    std::fputs(kReplayUsage, options ? stdout : stderr);
    return options ? 0 : 2;
  }
  const Json result = Measure(*options);
  if (options->json) {
    std::printf("%s\n", DumpJson(result).c_str());
  } else {
    Print(result);
  }
  return 0;
}

}  // namespace
}  // namespace mlprof::server::bench

int main(int argc, char** argv) {
  try {
    return mlprof::server::bench::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "replay: %s\n", error.what());
    return 1;
  }
}
