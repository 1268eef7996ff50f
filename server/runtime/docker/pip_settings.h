// How pip reaches packages from this machine: an index or mirror, a proxy, certificates, folders of
// wheels. What the host is configured with is carried into the preparing container, and nothing of
// it into the image.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/result/result.h"
#include "server/runtime/runtime.h"

namespace mlprof::docker {

/// Where the preparing container finds what the host lends it; an empty file system in memory.
inline constexpr const char* kLentFolder = "/run/mlprof";

struct PipSettings {
  std::map<std::string, std::string> environment;  // of the container: PIP_…, proxies, CA files
  std::vector<Mount> mounts;                       // read-only
  bool host_network = false;                       // a proxy listens on the host's loopback
};

/// What of the host is looked at; tests give their own.
struct PipHost {
  std::map<std::string, std::string> environment;   // the server's own
  std::vector<std::filesystem::path> config_files;  // later wins
  std::function<bool(const std::filesystem::path&)> exists;
  std::function<std::string(const std::filesystem::path&)> read;
};
/// This machine, with pip's configuration files in pip's order.
PipHost ThisHost();

PipSettings PipSettingsOf(const PipHost& host);

/// A shell file that exports `environment`, every value quoted. Names that a shell would not take
/// are left out.
std::string ShellExports(const std::map<std::string, std::string>& environment);

}  // namespace mlprof::docker
