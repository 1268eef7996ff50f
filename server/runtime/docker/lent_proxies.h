// The relays of one preparation: as long as this lives, its container reaches the proxies of this
// machine that its pip needs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "server/runtime/docker/docker_options.h"
#include "server/runtime/environment/pip_settings.h"
#include "server/runtime/environment/proxy/proxy_relay.h"

namespace mlprof::server::docker {

class LentProxies {
 public:
  /// Starts a relay for each of `pip`'s proxies and adds to it what the container must have mounted
  /// for them. `folder` is made for their sockets and removed in the end.
  static Result<std::unique_ptr<LentProxies>> Start(const DockerOptions& options,
                                                    environment::PipSettings& pip,
                                                    const std::filesystem::path& folder);
  ~LentProxies();
  LentProxies(const LentProxies&) = delete;
  LentProxies& operator=(const LentProxies&) = delete;

  /// Shell commands that open the relays' ports inside the container.
  std::string Commands() const;
  /// The first few things that were refused, each once. Any thread.
  std::vector<std::string> Refused() const;

 private:
  struct Refusals;

  explicit LentProxies(std::filesystem::path folder);

  const std::filesystem::path folder_;
  const std::shared_ptr<Refusals> refusals_;
  std::vector<std::unique_ptr<environment::ProxyRelay>> relays_;
};

}  // namespace mlprof::server::docker
