#include "server/runtime/docker/lent_proxies.h"

#include <algorithm>
#include <mutex>
#include <system_error>
#include <utility>

#include "server/runtime/environment/proxy/host_lookup.h"
#include "server/runtime/unix_listener.h"

namespace mlprof::server::docker {
namespace {

std::string ForwarderInside() { return std::string(environment::kLentFolder) + "/mlprof-agent"; }

std::string SocketInside(std::size_t index) {
  return std::string(environment::kLentFolder) + "/proxy." + std::to_string(index);
}

}  // namespace

struct LentProxies::Refusals {
  void Add(const std::string& why) {
    constexpr std::size_t kKept = 10;
    const std::lock_guard lock(mutex);
    const bool known = std::find(reasons.begin(), reasons.end(), why) != reasons.end();
    if (!known && reasons.size() < kKept) reasons.push_back(why);
  }

  std::mutex mutex;
  std::vector<std::string> reasons;  // guarded
};

LentProxies::LentProxies(std::filesystem::path folder)
    : folder_(std::move(folder)), refusals_(std::make_shared<Refusals>()) {}

LentProxies::~LentProxies() {
  relays_.clear();
  std::error_code ignored;
  std::filesystem::remove(folder_, ignored);
}

Result<std::unique_ptr<LentProxies>> LentProxies::Start(const DockerOptions& options,
                                                        environment::PipSettings& pip,
                                                        const std::filesystem::path& folder) {
  std::unique_ptr<LentProxies> lent(new LentProxies(folder));
  if (pip.proxies.empty()) return lent;
  MLPROF_TRY(MakeSocketFolder(folder));
  environment::RelayPolicy policy;
  policy.rules = [named = pip.named, own_ports = options.own_ports] {
    return environment::RelayRules{named, own_ports ? own_ports() : std::vector<unsigned short>(),
                                   environment::OwnAddresses(), environment::OwnNames()};
  };
  policy.refused = [refusals = lent->refusals_](const std::string& why) { refusals->Add(why); };
  pip.files.push_back({options.agent_binary, ForwarderInside()});
  for (const environment::HttpProxy& proxy : pip.proxies) {
    const std::size_t index = lent->relays_.size();
    const std::filesystem::path socket = folder / std::to_string(index);
    auto relay = environment::ProxyRelay::Start(proxy, policy, socket);
    if (!relay) return Fail(relay.error().WithContext("lending a proxy to the container"));
    lent->relays_.push_back(*std::move(relay));
    pip.files.push_back({socket, SocketInside(index)});
  }
  return lent;
}

std::string LentProxies::Commands() const {
  std::string commands;
  for (std::size_t i = 0; i < relays_.size(); ++i) {
    commands += ForwarderInside() + " --forward " + std::to_string(environment::RelayPort(i)) +
                " " + SocketInside(i) + "\n";
  }
  return commands;
}

std::vector<std::string> LentProxies::Refused() const {
  const std::lock_guard lock(refusals_->mutex);
  return refusals_->reasons;
}

}  // namespace mlprof::server::docker
