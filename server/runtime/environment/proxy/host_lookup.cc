#include "server/runtime/environment/proxy/host_lookup.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "common/text/ascii.h"
#include "server/runtime/environment/run_script.h"
#include "server/runtime/environment/text_lines.h"

namespace mlprof::server::environment {
namespace {

std::optional<IpAddress> AddressOf(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return IpAddress::V4(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof v6);
  std::array<unsigned char, 16> bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return IpAddress::V6(bytes);
}

}  // namespace

std::vector<IpAddress> OwnAddresses() {
  std::vector<IpAddress> addresses;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return addresses;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, &::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (const auto address = AddressOf(entry->ifa_addr)) addresses.push_back(*address);
  }
  return addresses;
}

std::vector<std::string> OwnNames() {
  char text[256] = "";
  if (::gethostname(text, sizeof text - 1) != 0 || *text == '\0') return {};
  const std::string name = Lowercase(std::string_view(text));
  std::vector<std::string> names = {name};
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos) names.push_back(name.substr(0, dot));
  return names;
}

std::vector<IpAddress> LookUp(const std::string& host, std::stop_token stop, Deadline deadline) {
  std::string output;
  const Result<int> status = RunScript(
      "exec getent ahosts \"$1\" 2> /dev/null", "look-up", {host},
      [&](std::string_view text) { output += text; }, std::move(stop), deadline);
  std::vector<IpAddress> addresses;
  if (!status) return addresses;
  for (const std::string_view line : Lines(output)) {
    const auto address = IpAddress::Parse(line.substr(0, line.find_first_of(" \t%")));
    if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

}  // namespace mlprof::server::environment
