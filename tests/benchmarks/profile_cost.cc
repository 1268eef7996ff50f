#include "tests/benchmarks/profile_cost.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "common/http/client.h"
#include "common/os/unique_fd.h"
#include "server/runtime/docker/container_spec.h"
#include "server/runtime/docker/engine.h"

namespace mlprof::server::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* kSocket = "/var/run/docker.sock";
constexpr std::chrono::milliseconds kLook{250};
constexpr int kBudgetSeconds = 30;

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// CPU seconds of a process so far, from /proc/PID/stat; negative when it is gone.
double CpuSeconds(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream text;
  text << file.rdbuf();
  const std::string stat = text.str();
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // state … cmajflt
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double ResidentMib(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

// Processes that come one after the other, as the agents of a profile's containers do.
class ProcessWatch {
 public:
  void Look(int pid) {
    const double cpu = CpuSeconds(pid);
    if (pid <= 0 || cpu < 0) return;
    const auto now = Clock::now();
    const auto [seen, first] = seen_.try_emplace(pid, Seen{now, now, cpu, cpu});
    seen->second.last = now;
    seen->second.last_cpu = cpu;
    resident_mib_ = std::max(resident_mib_, ResidentMib(pid));
  }
  Json Cost() const {
    double cpu = 0;
    double time = 0;
    for (const auto& [pid, seen] : seen_) {
      cpu += seen.last_cpu - seen.first_cpu;
      time += Seconds(seen.last - seen.first);
    }
    return {{"cpuPercent", time > 0 ? Json(100 * cpu / time) : Json()},
            {"residentInMib", resident_mib_}};
  }

 private:
  struct Seen {
    Clock::time_point first;
    Clock::time_point last;
    double first_cpu;
    double last_cpu;
  };
  std::map<int, Seen> seen_;
  double resident_mib_ = 0;
};

// An mlprof-server of our own; ends with this object.
class Server {
 public:
  Server(const fs::path& program, const fs::path& folder) {
    std::array<int, 2> out{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const std::string data = (folder / "profile").string();
    const std::string log = (folder / "server.log").string();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(::open(log.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
      ::execl(program.c_str(), "mlprof-server", "--listen", "127.0.0.1:0", "--data-dir",
              data.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(out[1]);
    const UniqueFd output(out[0]);
    std::string text;
    std::array<char, 512> piece;
    ssize_t n = 0;
    while (text.find('\n') == std::string::npos &&
           (n = ::read(output.get(), piece.data(), piece.size())) > 0) {
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos) {
      endpoint_.port = static_cast<unsigned short>(std::atoi(text.c_str() + colon + 1));
    }
    if (endpoint_.port != 0) return;
    Stop();
    throw std::runtime_error("mlprof-server did not start");
  }
  ~Server() { Stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int pid() const { return pid_; }

  Json Call(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& type = "application/json") {
    return Decoded(method + " " + target,
                   CallHttp(endpoint_, MakeCall(method, target, type, body), Deadline::After(30s)));
  }
  Json Upload(const std::string& target, const fs::path& tar) {
    return Decoded(target, UploadHttp(endpoint_, MakeCall("POST", target, "application/x-tar", ""),
                                      tar, Deadline::After(30s)));
  }

 private:
  static HttpCall MakeCall(const std::string& method, const std::string& target,
                           const std::string& type, const std::string& body) {
    HttpCall call;
    call.method = method;
    call.target = target;
    if (method == "POST") call.headers.Set("Content-Type", type);
    call.body = body;
    return call;
  }
  static Json Decoded(const std::string& what, const Result<HttpReply>& reply) {
    if (!reply) throw std::runtime_error(what + ": " + reply.error().message());
    if (reply->status / 100 != 2) throw std::runtime_error(what + ": " + reply->body);
    const auto json = ParseJson(reply->body);
    if (!json) throw std::runtime_error(what + ": " + json.error().message());
    return *json;
  }
  void Stop() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }

  pid_t pid_ = 0;
  TcpEndpoint endpoint_{"127.0.0.1", 0};
};

std::string Rows(const std::string& beginning) {
  std::string rows;
  for (int i = 0; i < 50; ++i) rows += beginning + " row" + std::to_string(i) + "\n";
  return rows;
}

bool IsFinished(const Json& profile) {
  const std::string state = profile["state"].get<std::string>();
  return state == "Succeeded" || state == "Failed" || state == "Canceled" || state == "TimedOut";
}

Json Profile(Server& server, const ProfiledModel& model, const std::string& model_id) {
  const std::string dataset =
      server.Call("POST", "/datasets?name=" + model.name, Rows(model.row), "text/plain")["id"]
          .get<std::string>();
  const Json request = {{"name", model.name},
                        {"modelIds", {model_id}},
                        {"inputDatasetId", dataset},
                        {"inferenceConfig",
                         {{"image", model.image},
                          {"command", model.command},
                          {"port", 8080},
                          {"scoringPath", "/"},
                          {"contentType", "text/plain"}}},
                        {"budgetSeconds", kBudgetSeconds}};
  Json profile = server.Call("POST", "/profiles", DumpJson(request));
  docker::DockerEngine engine(kSocket, {});
  const std::string label =
      std::string(docker::kProfileLabel) + "=" + profile["id"].get<std::string>();
  ProcessWatch controller;
  ProcessWatch agent;
  while (!IsFinished(profile)) {
    std::this_thread::sleep_for(kLook);
    controller.Look(server.pid());
    const auto containers = engine.ListContainers(label, Deadline::After(10s));
    for (const auto& container : containers.value_or(std::vector<docker::ListedContainer>())) {
      const auto state = engine.InspectContainer(container.id, Deadline::After(10s));
      if (state && state->running) agent.Look(state->pid);
    }
    profile = server.Call("GET", "/profiles/" + model.name);
  }
  if (profile["state"] != "Succeeded") {
    throw std::runtime_error("the profile did not succeed: " + DumpJson(profile["error"]));
  }
  return {{"rowsPerSecond", profile["measurements"]["measuredQueriesPerSecond"]},
          {"controller", controller.Cost()},
          {"agent", agent.Cost()}};
}

}  // namespace

Json ProfileCosts(const fs::path& programs, const fs::path& folder, const fs::path& model_tar,
                  const std::vector<ProfiledModel>& models) {
  Server server(programs / "mlprof-server", folder);
  const std::string id = server.Upload("/models?name=bench", model_tar)["id"].get<std::string>();
  Json costs = Json::object();
  for (const ProfiledModel& model : models) costs[model.name] = Profile(server, model, id);
  return costs;
}

}  // namespace mlprof::server::bench
