// What Docker answers, as plain values, and their decoding. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/json.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof::server::docker {

struct EngineInfo {
  std::string server_version;
  std::string root_directory;  // where Docker keeps images; on its own machine
  int cpus = 0;
  Bytes memory;
  int cgroup_version = 0;  // 0: the engine does not say
  bool rootless = false;
  std::vector<std::string> runtimes;    // "runc", "runsc"…
  std::vector<std::string> registries;  // that it is set up with, its own among them
};

struct ContainerState {
  std::string id;
  std::string name;  // without the leading '/'
  bool running = false;
  int pid = 0;  // of process 1, in Docker's pid namespace
  int exit_code = 0;
  bool oom_killed = false;
  std::string error;
  std::map<std::string, std::string> labels;
};

struct ImageInfo {
  std::string id;
  std::vector<std::string> entrypoint;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  std::string user;
  std::string working_directory;
  std::string stop_signal;
  std::vector<std::string> volumes;
  std::map<std::string, std::string> labels;
};

struct ListedContainer {
  std::string id;
  std::string name;
};

struct ListedImage {
  std::string id;
  std::vector<std::string> names;  // "mlprof-env:0123"
  Bytes size;                      // with what it shares with others
  Timestamp created;
  std::map<std::string, std::string> labels;
};

EngineInfo DecodeInfo(const Json& json);
ContainerState DecodeContainer(const Json& json);
ImageInfo DecodeImage(const Json& json);
std::vector<ListedContainer> DecodeContainerList(const Json& json);

std::vector<ListedImage> DecodeImageList(const Json& json);

/// JSON lines, one an event: their actions in order ("oom", "die"…). Other lines are passed over.
std::vector<std::string> DecodeEvents(std::string_view lines);
/// Whether the engine has restarted since it started a container that ended: it keeps its events in
/// memory, and remembers fewer than it has room for, and not that start.
bool RestartedSince(const std::vector<std::string>& events_of_container, std::size_t all_events);

/// One line of a streamed response (pull, import): what to show, or why it failed although the
/// status was 200.
struct StreamLine {
  std::string text;   // "" where there is nothing to show
  std::string error;  // "" where it did not fail
};
StreamLine DecodeStreamLine(std::string_view line);

}  // namespace mlprof::server::docker
