// How pip reaches packages from this machine: an index or mirror, a proxy, certificates, folders of
// wheels. What the host is configured with is carried into the preparing container, and nothing of
// it into the image. A proxy's login is not: the container gets a relay to it (proxy/).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "server/runtime/environment/pip_config.h"
#include "server/runtime/environment/proxy/endpoint.h"
#include "server/runtime/environment/proxy/relay_exchange.h"
#include "server/runtime/environment/secret_mask.h"

namespace mlprof::server::environment {

/// Where the preparing container finds what the host lends it; an empty file system in memory.
inline constexpr const char* kLentFolder = "/run/mlprof";

/// The port inside the container at which the relay to PipSettings::proxies[index] answers.
inline constexpr unsigned short RelayPort(std::size_t index) {
  return static_cast<unsigned short>(3128 + index);
}

/// A file or folder of this machine that the container finds at `inside`, read-only.
struct LentFile {
  std::filesystem::path here;
  std::string inside;
};

struct PipSettings {
  std::map<std::string, std::string> environment;  // of the container: PIP_…, proxies, CA files
  std::vector<LentFile> files;
  std::vector<HttpProxy> proxies;  // each needs a relay
  std::vector<HostPort> named;     // where pip's configuration says packages are
  std::vector<std::string> notes;  // what the container cannot reach, and the remedy
};

PipSettings PipSettingsOf(const PipHost& host);

/// The logins in pip's and apt's configuration and in the variables of pip and of proxies, and the
/// passwords in the other variables of this process.
SecretMask SecretsOf(const PipHost& host);

/// A shell file that exports `environment`, every value quoted. Names that a shell would not take
/// are left out.
std::string ShellExports(const std::map<std::string, std::string>& environment);

}  // namespace mlprof::server::environment
