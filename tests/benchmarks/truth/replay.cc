// bench-truth-replay: sends the rows of a file, a line each, to a server on 127.0.0.1 and prints
// how long the responses took. With --pid it does so from within that process's network.
//
// Prints two lines of JSON: one when the server is ready, one when all is done. A server that never
// gets ready, or that dies, is a result: exit status 0. 1: it cannot run at all. 2: wrong use.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/benchmarks/truth/http_connection.h"
#include "tests/benchmarks/truth/load.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::duration<double> kLongestWarmUp{10};

constexpr const char* kUsage =
    "usage: bench-truth-replay --rows FILE [--pid N] [--port N] [--path P] [--content-type T]\n"
    "         [--timeout-seconds N] [--ready-path P] [--ready-seconds N] [--warm-passes N]\n"
    "         [--concurrency N | --rate R] [--passes N] [--seconds S] [--longest S] [--seed N]\n"
    "         [--stop-at-failure 1] [--hopeless-ms X]\n";

struct Options {
  truth::Endpoint endpoint;
  truth::Load load;
  int warm_passes = 1;
  std::string ready_path = "/";
  std::chrono::seconds ready_within{60};
  std::string rows_file;
  std::string pid;
};

Options Parse(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::function<void(const char*)>> known = {
      {"--rows", [&](const char* v) { options.rows_file = v; }},
      {"--pid", [&](const char* v) { options.pid = v; }},
      {"--port",
       [&](const char* v) { options.endpoint.port = static_cast<std::uint16_t>(std::atoi(v)); }},
      {"--path", [&](const char* v) { options.endpoint.path = v; }},
      {"--content-type", [&](const char* v) { options.endpoint.content_type = v; }},
      {"--timeout-seconds",
       [&](const char* v) { options.endpoint.timeout = std::chrono::seconds(std::atoi(v)); }},
      {"--ready-path", [&](const char* v) { options.ready_path = v; }},
      {"--ready-seconds",
       [&](const char* v) { options.ready_within = std::chrono::seconds(std::atoi(v)); }},
      {"--warm-passes", [&](const char* v) { options.warm_passes = std::atoi(v); }},
      {"--concurrency", [&](const char* v) { options.load.concurrency = std::atoi(v); }},
      {"--rate", [&](const char* v) { options.load.rate = std::atof(v); }},
      {"--passes", [&](const char* v) { options.load.passes = std::atoi(v); }},
      {"--seconds",
       [&](const char* v) { options.load.seconds = std::chrono::duration<double>(std::atof(v)); }},
      {"--longest",
       [&](const char* v) { options.load.longest = std::chrono::duration<double>(std::atof(v)); }},
      {"--seed",
       [&](const char* v) { options.load.seed = static_cast<std::uint32_t>(std::atoi(v)); }},
      {"--hopeless-ms",
       [&](const char* v) {
         options.load.hopeless = std::chrono::duration<double>(std::atof(v) / 1000);
       }},
      {"--stop-at-failure", [&](const char* v) { options.load.stop_at_failure = *v == '1'; }}};
  for (int i = 1; i < argc; i += 2) {
    const auto option = known.find(argv[i]);
    if (option == known.end() || i + 1 == argc) {
      std::fputs(kUsage, stderr);
      std::exit(2);
    }
    option->second(argv[i + 1]);
  }
  return options;
}

[[noreturn]] void Refuse(const std::string& what) {
  std::perror(("bench-truth-replay: " + what).c_str());
  std::exit(1);
}

void EnterNetworkOf(const std::string& pid) {
  const std::string path = "/proc/" + pid + "/ns/net";
  const int network = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (network < 0 || setns(network, CLONE_NEWNET) != 0) Refuse(path);
  close(network);
}

std::vector<std::string> ReadRows(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) rows.push_back(line);
  }
  if (rows.empty()) Refuse(path + " holds no rows");
  return rows;
}

// Any response at "/", as mlprof's documentation promises it; a 2xx or 3xx at a path of its own.
bool AwaitReady(const Options& options) {
  const Clock::time_point began = Clock::now();
  while (Clock::now() - began < options.ready_within) {
    // Gone with its network: nothing will answer any more.
    if (!options.pid.empty() && access(("/proc/" + options.pid).c_str(), F_OK) != 0) return false;
    truth::HttpConnection connection(options.endpoint);
    std::string why;
    const int status = connection.Send("GET", options.ready_path, "", why);
    if (status != 0 && (options.ready_path == "/" || (status >= 200 && status < 400))) {
      const std::chrono::duration<double> took = Clock::now() - began;
      std::printf("{\"readySeconds\":%.4f}\n", took.count());
      std::fflush(stdout);
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

double CpuSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

// The smallest latency that this share of all does not exceed.
double QuantileMs(const std::vector<std::chrono::nanoseconds>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return std::chrono::duration<double, std::milli>(sorted[std::max<std::size_t>(rank, 1) - 1])
      .count();
}

std::string Plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || c < ' '; }, ' ');
  return text;
}

void Print(truth::Outcome outcome, double cpu_seconds) {
  auto& latencies = outcome.latencies;
  std::sort(latencies.begin(), latencies.end());
  const std::chrono::duration<double, std::milli> sum =
      std::accumulate(latencies.begin(), latencies.end(), std::chrono::nanoseconds(0));
  const double count = static_cast<double>(std::max<std::size_t>(latencies.size(), 1));
  std::printf(
      "{\"answered\":%zu,\"failures\":%lld,\"firstFailure\":\"%s\",\"gaveUp\":%s,\"seconds\":%.4f,"
      "\"meanMs\":%.4f,\"p50Ms\":%.4f,\"p95Ms\":%.4f,\"p99Ms\":%.4f,\"clientCpuSeconds\":%.4f}\n",
      latencies.size(), static_cast<long long>(outcome.failures),
      Plain(outcome.first_failure).c_str(), outcome.gave_up ? "true" : "false",
      outcome.took.count(), sum.count() / count, QuantileMs(latencies, 0.5),
      QuantileMs(latencies, 0.95), QuantileMs(latencies, 0.99), cpu_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  const std::vector<std::string> rows = ReadRows(options.rows_file);
  if (!options.pid.empty()) EnterNetworkOf(options.pid);
  truth::Outcome outcome;
  if (!AwaitReady(options)) {
    outcome.failures = 1;
    outcome.first_failure = "it did not get ready";
    Print(std::move(outcome), CpuSeconds());
    return 0;
  }
  const double cpu_before = CpuSeconds();
  truth::Load warm = options.load;
  warm.passes = options.warm_passes;
  warm.seconds = {};
  warm.longest = std::min(warm.longest, kLongestWarmUp);
  warm.hopeless = {};
  if (warm.passes > 0) outcome = truth::Replay(options.endpoint, rows, warm);
  if (outcome.failures == 0 || !options.load.stop_at_failure) {
    const std::int64_t failed_before = outcome.failures;
    const std::string first = outcome.first_failure;
    outcome = truth::Replay(options.endpoint, rows, options.load);
    outcome.failures += failed_before;
    if (!first.empty()) outcome.first_failure = first;
  }
  Print(std::move(outcome), CpuSeconds() - cpu_before);
}
