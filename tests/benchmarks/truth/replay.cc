// bench-truth-replay: sends the rows of a file, a line each, to a server on 127.0.0.1 and prints
// how long the responses took. With --pid it does so from within that process's network.
//
// In this order: until it is ready; with --first-visits each row for the first time; with
// --together that many requests in flight at once, each on a fresh connection, so that every worker
// serves; warm passes, with --steady until one is hardly faster than the one before; and the load,
// on connections that are kept alive, on one for each request, or first so and then so.
//
// Prints a line of JSON when it is ready and one after each part. A server that never gets ready,
// or that dies, is a result: exit status 0. 1: it cannot run at all. 2: wrong use.
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
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/benchmarks/truth/http_connection.h"
#include "tests/benchmarks/truth/load.h"
#include "tests/benchmarks/truth/replay_options.h"

namespace {

using Clock = std::chrono::steady_clock;
using truth::ReplayOptions;

// Each fresh connection of those in flight together is followed by so many others: which worker
// takes one is chance. Chosen, not measured.
constexpr int kTogetherRounds = 4;

// Warm passes go on while one is faster than the pass before by more than this, so many at most: a
// compile for each row shows once, a JIT a few times.
constexpr double kSteady = 0.9;
constexpr int kMostWarmPasses = 6;

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
bool AwaitReady(const ReplayOptions& options) {
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

double MeanMs(const truth::Outcome& outcome) {
  const std::chrono::duration<double, std::milli> sum = std::accumulate(
      outcome.latencies.begin(), outcome.latencies.end(), std::chrono::nanoseconds(0));
  return sum.count() / static_cast<double>(std::max<std::size_t>(outcome.latencies.size(), 1));
}

std::string Plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || c < ' '; }, ' ');
  return text;
}

void Print(const char* part, truth::Outcome outcome) {
  auto& latencies = outcome.latencies;
  std::sort(latencies.begin(), latencies.end());
  std::printf(
      "{\"part\":\"%s\",\"answered\":%zu,\"failures\":%lld,\"firstFailure\":\"%s\",\"gaveUp\":%s,"
      "\"seconds\":%.4f,\"meanMs\":%.4f,\"p50Ms\":%.4f,\"p95Ms\":%.4f,\"p99Ms\":%.4f,"
      "\"mostMs\":%.4f,\"clientCpuSeconds\":%.4f}\n",
      part, latencies.size(), static_cast<long long>(outcome.failures),
      Plain(outcome.first_failure).c_str(), outcome.gave_up ? "true" : "false",
      outcome.took.count(), MeanMs(outcome), QuantileMs(latencies, 0.5),
      QuantileMs(latencies, 0.95), QuantileMs(latencies, 0.99), QuantileMs(latencies, 1),
      CpuSeconds());
  std::fflush(stdout);
}

class Parts {
 public:
  Parts(const ReplayOptions& options, const std::vector<std::string>& rows)
      : options_(options), rows_(rows) {}

  void All() {
    if (options_.first_visits) before_ms_ = MeanMs(Play("firstVisits", WarmLoad()));
    if (options_.together > 0 && Goes()) Play("together", Together());
    if (Goes()) WarmUp();
    truth::Load load = options_.load;
    if (options_.keep_alive && Goes()) Play("keepAlive", load);
    load.fresh_connections = true;
    if (options_.per_request && Goes()) Play("perRequest", load);
  }

 private:
  bool Goes() const { return !gave_up_ && !(failed_ && options_.load.stop_at_failure); }

  truth::Outcome Play(const char* part, const truth::Load& load) {
    truth::Outcome outcome = truth::Replay(options_.endpoint, rows_, load);
    failed_ = failed_ || outcome.failures > 0;
    gave_up_ = gave_up_ || outcome.gave_up;
    Print(part, outcome);
    return outcome;
  }

  // As fast as it goes: a rate would only take longer.
  truth::Load WarmLoad() const {
    truth::Load load = options_.load;
    load.rate = 0;
    load.passes = 1;
    load.requests = 0;
    load.seconds = {};
    load.longest = options_.warm_longest;
    load.hopeless = {};
    return load;
  }

  truth::Load Together() const {
    truth::Load load = WarmLoad();
    load.concurrency = options_.together;
    load.passes = 0;
    load.requests = options_.together * kTogetherRounds;
    load.whole_passes = false;
    load.fresh_connections = true;
    return load;
  }

  void WarmUp() {
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(options_.warm_longest);
    for (int pass = 1; pass <= kMostWarmPasses && Goes() && Clock::now() < end; ++pass) {
      if (!options_.steady && pass > options_.warm_passes) break;
      const double mean_ms = MeanMs(Play("warm", WarmLoad()));
      const bool steady = before_ms_ > 0 && mean_ms >= kSteady * before_ms_;
      if (options_.steady && steady && pass >= options_.warm_passes) break;
      before_ms_ = mean_ms;
    }
  }

  const ReplayOptions& options_;
  const std::vector<std::string>& rows_;
  bool failed_ = false;
  bool gave_up_ = false;
  double before_ms_ = 0;  // the mean of the last pass, 0: none yet
};

}  // namespace

int main(int argc, char** argv) {
  const ReplayOptions options = truth::ParseReplayOptions(argc, argv);
  const std::vector<std::string> rows = ReadRows(options.rows_file);
  if (!options.pid.empty()) EnterNetworkOf(options.pid);
  if (AwaitReady(options)) Parts(options, rows).All();
}
