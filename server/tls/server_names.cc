#include "server/tls/server_names.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <string_view>

#include "common/text/ascii.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

std::string Plain(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return Lowercase(host);
}

bool IsAddress(const std::string& host) {
  in6_addr ignored = {};
  return ::inet_pton(AF_INET, host.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

bool StandsForAll(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

bool IsLabel(std::string_view label) {
  return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' &&
         std::all_of(label.begin(), label.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

bool IsDnsName(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    if (!IsLabel(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

void AddOnce(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

}  // namespace

ServerNames NamesOf(const std::vector<std::string>& hosts) {
  ServerNames names;
  for (const std::string& host : hosts) {
    std::string plain = Plain(host);
    if (IsAddress(plain)) {
      if (!StandsForAll(plain)) AddOnce(names.addresses, std::move(plain));
    } else if (IsDnsName(plain)) {
      AddOnce(names.dns, std::move(plain));
    }
  }
  return names;
}

}  // namespace mlprof::server
