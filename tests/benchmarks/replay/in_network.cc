#include "tests/benchmarks/replay/in_network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <stdexcept>

#include "common/os/unique_fd.h"

namespace mlprof::server::bench {
namespace {

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

struct ChildOutcome {
  std::string output;
  double cpu_seconds = 0;
};

// Runs `act` in a process of its own in the network of `pid`, its standard output caught.
ChildOutcome RunInNetwork(int pid, const std::function<void()>& act) {
  const std::string name = "/proc/" + std::to_string(pid) + "/ns/net";
  const UniqueFd network(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<int, 2> out{};
  if (!network || ::pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot open " + name);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setns(network.get(), CLONE_NEWNET) != 0) ::_exit(126);
    ::dup2(out[1], STDOUT_FILENO);
    act();
    ::_exit(127);
  }
  ::close(out[1]);
  const UniqueFd reading(out[0]);
  ChildOutcome outcome;
  std::array<char, 4096> piece;
  for (ssize_t n = 0; (n = ::read(reading.get(), piece.data(), piece.size())) > 0;) {
    outcome.output.append(piece.data(), static_cast<std::size_t>(n));
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("what ran in the container's network failed (126: not root; 127: no " +
                             std::string("wrk): status ") + std::to_string(status) + "\n" +
                             outcome.output);
  }
  outcome.cpu_seconds = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  return outcome;
}

// The request as mlprof sends it; without functions that run per request, which would cost wrk.
std::string Script(const std::string& body) {
  return "wrk.method = 'POST'\nwrk.body = '" + body +
         "'\nwrk.headers['Content-Type'] = 'application/json'\n"
         "done = function(s, l, r)\n"
         "  print(string.format('FIGURES %d %d %d %f %f', s.requests, s.duration,\n"
         "    s.errors.connect + s.errors.read + s.errors.write + s.errors.status +\n"
         "    s.errors.timeout, l:percentile(50), l:percentile(99)))\nend\n";
}

UniqueFd InMemory(const std::string& text) {
  UniqueFd file(::memfd_create("script", 0));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("no memory file");
  }
  return file;
}

// The body of one GET on the target's loopback, printed.
void PrintTimes() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kTargetPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::_exit(1);
  }
  const std::string request = "GET /times HTTP/1.1\r\nConnection: close\r\n\r\n";
  if (::write(socket.get(), request.data(), request.size()) < 0) ::_exit(1);
  std::array<char, 4096> piece;
  for (ssize_t n = 0; (n = ::read(socket.get(), piece.data(), piece.size())) > 0;) {
    if (::write(STDOUT_FILENO, piece.data(), static_cast<std::size_t>(n)) < 0) ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

WrkFigures RunWrk(int pid, int connections, std::chrono::seconds time, const std::string& body) {
  const UniqueFd script = InMemory(Script(body));
  const std::string path = "/proc/self/fd/" + std::to_string(script.get());
  const std::string count = std::to_string(connections);
  const std::string duration = std::to_string(time.count()) + "s";
  const std::string url = "http://127.0.0.1:" + std::to_string(kTargetPort) + "/score";
  const ChildOutcome outcome = RunInNetwork(pid, [&] {
    ::execlp("wrk", "wrk", "-t1", "-c", count.c_str(), "-d", duration.c_str(), "-s", path.c_str(),
             url.c_str(), nullptr);
  });
  WrkFigures figures;
  double microseconds = 0;
  const std::size_t at = outcome.output.find("FIGURES");
  if (at == std::string::npos ||
      std::sscanf(outcome.output.c_str() + at, "FIGURES %lf %lf %lf %lf %lf", &figures.requests,
                  &microseconds, &figures.failures, &figures.p50_us, &figures.p99_us) != 5) {
    throw std::runtime_error("wrk said something else:\n" + outcome.output);
  }
  figures.seconds = microseconds / 1e6;
  figures.cpu_seconds = outcome.cpu_seconds;
  return figures;
}

TargetTimes AskTargetTimes(int pid) {
  const ChildOutcome outcome = RunInNetwork(pid, PrintTimes);
  TargetTimes times;
  const std::size_t body = outcome.output.find("\r\n\r\n");
  if (body == std::string::npos || std::sscanf(outcome.output.c_str() + body, " %lf %lf %lf",
                                               &times.count, &times.p50_us, &times.p99_us) != 3) {
    throw std::runtime_error("the target did not tell its times:\n" + outcome.output);
  }
  return times;
}

}  // namespace mlprof::server::bench
