// fake-metric-service PORT FILE: the imitated metric service on a port of loopback, until it is
// ended. Each line of FILE is a value: "METRIC DEVICE int|double VALUE [list]". It is read anew for
// every connection.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/fakes/metric_service_port.h"

namespace {

using mlprof::fakes::FakeMetricService;
using mlprof::fakes::FakeMetricValue;

void Load(const std::string& name, FakeMetricService& service) {
  std::map<std::string, std::vector<FakeMetricValue>> metrics;
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string metric;
    std::string type;
    std::string list;
    FakeMetricValue value;
    double number = 0;
    if (!(words >> metric >> value.device >> type >> number)) continue;
    value.value = number;
    if (type == "int") value.value = static_cast<std::int64_t>(number);
    words >> list;
    value.in_list = list == "list";
    metrics[metric].push_back(value);
  }
  for (auto& [metric, values] : metrics) service.Say(metric, std::move(values));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int listener = mlprof::fakes::ListenForMetrics(std::atoi(argv[1]));
  std::puts("listening");
  std::fflush(stdout);
  const std::string file = argv[2];
  mlprof::fakes::ServeMetrics(
      listener, [file](mlprof::fakes::FakeMetricService& service) { Load(file, service); });
}
