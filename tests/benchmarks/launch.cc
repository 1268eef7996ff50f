// bench-launch: how long until a container answers? The raw Engine API (create, start, first
// response of a static program over a reversed Unix socket) and mlprof (Launch, the agent, the
// model's start, readiness, first row) take turns in one run. Then: what a profile costs itself.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/runtime/docker/accept_agent.h"
#include "server/runtime/docker/docker_options.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/model_start.h"
#include "tests/benchmarks/profile_cost.h"
#include "tests/fakes/heard_agent.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* kSocket = "/var/run/docker.sock";
constexpr const char* kRepository = "mlprof-bench-launch";

double MillisecondsSince(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

// Thrown, not exited: what was launched is removed on the way out.
[[noreturn]] void Die(const Error& error) { throw std::runtime_error(error.message()); }
template <class T>
T Must(Result<T> result) {
  if (!result) Die(result.error());
  return *std::move(result);
}
void Must(const Status& status) {
  if (!status) Die(status.error());
}

struct Bench {
  ~Bench() {
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
  }

  fs::path folder;
  fs::path programs;  // where bench-launch lies, the peer and the agent beside it
  docker::DockerEngine engine{kSocket, {}};
};

void MakeImage(Bench& bench) {
  const fs::path root = bench.folder / "root";
  const fs::path tar = bench.folder / "image.tar";
  fs::create_directories(root);
  fs::copy_file(bench.programs / "bench-launch-peer", root / "peer");
  fs::copy_file(bench.programs / "target-static-server", root / "server");
  fs::copy_file(bench.programs / "target-target-server", root / "target");
  for (const char* name : {"", "peer", "server", "target"}) {
    fs::permissions(root / name, fs::perms(0755));
  }
  const std::string command = "tar -C " + root.string() + " -cf " + tar.string() + " .";
  if (std::system(command.c_str()) != 0) Die(Internal("tar failed"));
  Must(bench.engine.ImportImage(tar, kRepository, "1", Deadline::After(60s)));
}

// create → start → accept → one byte there and back.
double RawRound(Bench& bench) {
  docker::AgentSocket socket = Must(docker::AgentSocket::Listen(bench.folder / "raw"));
  const std::string bind = socket.path().string() + ":/s:ro";
  const Json spec = {{"Image", std::string(kRepository) + ":1"},
                     {"Cmd", {"/peer", "/s"}},
                     {"HostConfig", {{"NetworkMode", "none"}, {"Binds", Json::array({bind})}}}};
  const auto began = Clock::now();
  const std::string id = Must(bench.engine.CreateContainer(
      "mlprof-bench-raw-" + std::to_string(::getpid()), spec, Deadline::After(30s)));
  Must(bench.engine.StartContainer(id, Deadline::After(30s)));
  const int pid = Must(bench.engine.InspectContainer(id, Deadline::After(30s))).pid;
  const UniqueFd peer = Must(socket.Accept(
      pid, [] { return Status(); }, {}, Deadline::After(30s)));
  char byte = 'x';
  if (::write(peer.get(), &byte, 1) != 1 || ::read(peer.get(), &byte, 1) != 1) {
    Die(Internal("the peer did not answer"));
  }
  const double took = MillisecondsSince(began);
  Must(bench.engine.Remove(id, Deadline::After(30s)));
  return took;
}

struct MlprofRound {
  double launched = 0;   // until the agent said Hello
  double responded = 0;  // until the first row was answered
};

MlprofRound RunMlprof(Runtime& runtime, const LaunchRequest& request) {
  const auto began = Clock::now();
  MlprofRound round;
  const auto target = Must(runtime.Launch(request, {}, Deadline::After(60s)));
  round.launched = MillisecondsSince(began);
  fakes::HeardAgent heard;
  target->agent().Listen(&heard);
  target->agent().Start(StartFor(request.image, request.config));
  if (!heard.AwaitReady()) Die(Internal("the model never became ready"));
  target->agent().SendRow({1, false, "row"});
  if (!heard.AwaitResponses(1) || !heard.responses().front().Succeeded()) {
    Die(Internal("the first row was not answered"));
  }
  round.responded = MillisecondsSince(began);
  target->agent().Listen(nullptr);
  Must(target->Remove(Deadline::After(30s)));
  return round;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}
Json Figures(const std::vector<double>& values) {
  return {{"medianMs", Median(values)}, {"minMs", *std::min_element(values.begin(), values.end())}};
}

Json Measure(Bench& bench, int rounds) {
  MakeImage(bench);
  DockerOptions options;
  options.agent_binary = bench.programs / "mlprof-agent";
  options.data_dir = bench.folder / "data";
  options.instance_id = "bench" + std::to_string(::getpid());
  const auto runtime = Must(MakeDockerRuntime(options));
  ImageConfig service;
  service.image = std::string(kRepository) + ":1";
  service.command = std::vector<std::string>{"/server", "8080"};
  LaunchRequest request;
  request.profile_id = "bench";
  request.config.service = service;
  request.limits = {Cores(1), MiB(64)};
  request.image = Must(runtime->Prepare(
      {request.config, {}}, [](std::string_view) {}, {}, Deadline::After(60s)));
  std::vector<double> raw;
  std::vector<double> launched;
  std::vector<double> responded;
  for (int round = 0; round <= rounds; ++round) {
    request.container_name = options.instance_id + "-" + std::to_string(round);
    const double raw_round = RawRound(bench);
    const MlprofRound mlprof_round = RunMlprof(*runtime, request);
    if (round == 0) continue;  // warms both up
    raw.push_back(raw_round);
    launched.push_back(mlprof_round.launched);
    responded.push_back(mlprof_round.responded);
  }
  return {{"rounds", rounds},
          {"engineApiFirstAnswer", Figures(raw)},
          {"mlprofLaunched", Figures(launched)},
          {"mlprofFirstRow", Figures(responded)},
          {"ratio", Median(responded) / Median(raw)}};
}

// One model that answers at once, so that everything around it works as hard as it can, and one of
// the pace of a small real model.
Json MeasureCosts(const Bench& bench) {
  const std::string image = std::string(kRepository) + ":1";
  return bench::ProfileCosts(bench.programs, bench.folder, bench.folder / "image.tar",
                             {{"flatOut", image, {"/server", "8080"}, ""},
                              {"paced", image, {"/target"}, "burn=2 sleep=8"}});
}

void PrintCosts(const Json& costs) {
  std::printf("\n%-28s %9s %18s %18s\n", "while a profile runs", "rows/s", "controller", "agent");
  for (const auto& entry : costs.items()) {
    const Json& cost = entry.value();
    const auto of = [&](const char* who, const char* key) {
      const Json& value = cost[who][key];
      return value.is_number() ? value.get<double>() : 0.0;
    };
    std::printf("%-28s %9.0f %6.2f%% %6.1f MiB %6.2f%% %6.1f MiB\n",
                entry.key() == "flatOut" ? "model that answers at once" : "model of 10 ms a row",
                cost["rowsPerSecond"].get<double>(), of("controller", "cpuPercent"),
                of("controller", "residentInMib"), of("agent", "cpuPercent"),
                of("agent", "residentInMib"));
  }
  std::printf("CPU in percent of one core, mean over the profile; the largest resident memory\n");
}

void Print(const Json& result) {
  const auto row = [&](const char* what, const char* key) {
    std::printf("%-44s %9.1f %9.1f\n", what, result[key]["medianMs"].get<double>(),
                result[key]["minMs"].get<double>());
  };
  std::printf("%-44s %9s %9s\n", "milliseconds", "median", "min");
  row("Engine API: create, start, first response", "engineApiFirstAnswer");
  row("mlprof: Launch (agent connected)", "mlprofLaunched");
  row("mlprof: Launch, model start, first row", "mlprofFirstRow");
  std::printf("mlprof / Engine API: %.3f over %d rounds\n", result["ratio"].get<double>(),
              result["rounds"].get<int>());
  PrintCosts(result["profileCost"]);
}

int Main(int argc, char** argv) {
  int rounds = 10;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "-o" && i + 1 < argc && std::string(argv[i + 1]) == "json") {
      json = true;
      ++i;
    } else if (argument == "-n" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      rounds = std::atoi(argv[++i]);
    } else {
      std::printf(
          "usage: bench-launch [-n ROUNDS] [-o json]\nTime from nothing to the first response "
          "of a container: the raw Engine API and mlprof, taking turns.\nThen CPU and resident "
          "memory of controller and agent while a profile runs (twice half a minute).\n");
      return argument == "--help" ? 0 : 2;
    }
  }
  char folder[] = "/tmp/bench-launch.XXXXXX";
  Bench bench;
  bench.folder = ::mkdtemp(folder);
  bench.programs = fs::canonical("/proc/self/exe").parent_path();
  Json result = Measure(bench, rounds);
  result["profileCost"] = MeasureCosts(bench);
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
    std::fprintf(stderr, "bench-launch: %s\n", error.what());
    return 1;
  }
}
