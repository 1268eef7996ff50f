// bench-sampling: what does it cost to look at a container? The agent in one where nothing moves
// and in one that works, and a loop that wakes 100 times a second and does nothing, take turns in
// one run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/json/json.h"
#include "server/runtime/model_start.h"
#include "tests/benchmarks/container/bench_container.h"
#include "tests/benchmarks/sampling/busy_process.h"
#include "tests/benchmarks/sampling/parts.h"

namespace mlprof::server {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Json Figures(const std::vector<double>& values) {
  return {{"medianPercent", Median(values)},
          {"minPercent", *std::min_element(values.begin(), values.end())}};
}

// A model that does nothing, so that the agent has nothing to do but to sample.
bench::BenchContainerPlan NullModel() {
  bench::BenchContainerPlan plan;
  plan.name = "mlprof-bench-sampling";
  plan.port = 5001;
  plan.command = {kAgentProgram, "--null-server", std::to_string(plan.port)};
  plan.limits = {Cores(1), MiB(64)};
  return plan;
}

struct AgentUse {
  double cpu_percent = 0;
  double samples_per_second = 0;
};

// By what its samples of the next `time` say.
AgentUse UseOfAgent(AgentSession& session, std::chrono::milliseconds time) {
  const std::size_t before = session.Samples().size();
  std::this_thread::sleep_for(time);
  const auto samples = session.Samples();
  if (samples.size() < before + 2) throw std::runtime_error("the samples stopped");
  const Sample& first = samples[before];
  const Sample& last = samples.back();
  const std::chrono::duration<double> took = last.at - first.at;
  const std::chrono::duration<double> used = last.agent_cpu_time - first.agent_cpu_time;
  return {used / took * 100, static_cast<double>(samples.size() - before - 1) / took.count()};
}

// Shares of a core that a container uses while its agent is looked at. Little work leaves the cores
// asleep, from which waking is dear; much keeps them awake.
struct Motion {
  const char* key;
  const char* text;
  double core_share;
};
constexpr Motion kMotions[] = {
    {"agent", "agent in a container where nothing moves", 0},
    {"agentBesideLittleWork", "agent in a container that uses 5% of a core", 0.05},
    {"agentBesideMuchWork", "agent in a container that uses 90% of a core", 0.9}};

AgentUse UseBeside(bench::BenchContainer& container, double core_share,
                   std::chrono::milliseconds time) {
  std::optional<bench::BusyProcess> busy;
  if (core_share > 0) {
    busy.emplace(container.pid(), core_share);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until the pace has changed
  }
  return UseOfAgent(container.session(), time);
}

Json Measure(int rounds, std::chrono::milliseconds time) {
  bench::BenchContainer container(NullModel());
  std::map<std::string, std::vector<double>> sampling;
  std::vector<double> idle;
  Json rates;
  for (int round = 0; round < rounds; ++round) {
    for (const Motion& motion : kMotions) {
      const AgentUse use = UseBeside(container, motion.core_share, time);
      sampling[motion.key].push_back(use.cpu_percent);
      rates[motion.key] = use.samples_per_second;
    }
    idle.push_back(bench::IdleLoopCpuPercent(time));
  }
  Json result{{"rounds", rounds},
              {"samplesPerSecond", rates},
              {"idleLoop", Figures(idle)},
              {"warmSampleMicroseconds", bench::WarmSampleMicroseconds()},
              {"rowReadingMicroseconds", bench::RowReadingMicroseconds()}};
  for (const auto& [key, values] : sampling) result[key] = Figures(values);
  return result;
}

void Print(const Json& result) {
  const auto row = [&](const char* what, const char* key) {
    std::printf("%-52s %9.3f %9.3f\n", what, result[key]["medianPercent"].get<double>(),
                result[key]["minPercent"].get<double>());
  };
  std::printf("%-52s %9s %9s\n", "CPU in percent of a core", "median", "min");
  for (const Motion& motion : kMotions) {
    row(motion.text, motion.key);
    std::printf("  samples/s %51.1f\n", result["samplesPerSecond"][motion.key].get<double>());
  }
  row("a loop that wakes 100 times/s and does nothing", "idleLoop");
  std::printf("%d rounds\n", result["rounds"].get<int>());
  std::printf("one whole sample with its peak, warm: %.1f µs CPU\n",
              result["warmSampleMicroseconds"].get<double>());
  std::printf("memory readings around an attributed row, one process, warm: %.1f µs CPU\n",
              result["rowReadingMicroseconds"].get<double>());
}

int Main(int argc, char** argv) {
  int rounds = 5;
  int seconds = 4;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "-o" && i + 1 < argc && std::string(argv[i + 1]) == "json") {
      json = true;
      ++i;
    } else if (argument == "-n" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      rounds = std::atoi(argv[++i]);
    } else if (argument == "--seconds" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      seconds = std::atoi(argv[++i]);
    } else {
      std::printf(
          "usage: bench-sampling [-n ROUNDS] [--seconds S] [-o json]\nCPU of the agent in a "
          "container where nothing moves and in one that works, asked for 100 samples a second, "
          "and "
          "of a loop that only wakes as often, taking turns of S seconds.\nNeeds Docker and "
          "root.\n");
      return argument == "--help" ? 0 : 2;
    }
  }
  const Json result = Measure(rounds, std::chrono::seconds(seconds));
  if (json) {
    std::printf("%s\n", DumpJson(result).c_str());
  } else {
    Print(result);
  }
  return 0;
}

}  // namespace
}  // namespace mlprof::server

int main(int argc, char** argv) {
  try {
    return mlprof::server::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-sampling: %s\n", error.what());
    return 1;
  }
}
