#include "server/runtime/environment/pip_settings.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "common/http/message.h"
#include "common/text/base64.h"
#include "server/runtime/environment/proxy/relay_rules.h"

namespace mlprof::server::environment {
namespace {

constexpr const char* kProxyVariables[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                           "http_proxy", "https_proxy", "all_proxy"};

std::string VariableOfKey(std::string_view key) {
  std::string name = "PIP_";
  for (const char c : key) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

// Replaces local paths by places in the container where they are mounted.
class Lender {
 public:
  Lender(const PipHost& host, PipSettings& settings) : host_(host), settings_(settings) {}

  std::string Lend(const std::string& value) {
    std::istringstream words(value);
    std::string lent;
    for (std::string word; words >> word;) {
      const std::string replaced = LendWord(word);
      if (!replaced.empty()) lent += (lent.empty() ? "" : " ") + replaced;
    }
    return lent;
  }

  std::string LendFile(const std::string& path) {
    const std::string place =
        std::string(kLentFolder) + "/" + std::to_string(settings_.files.size());
    settings_.files.push_back({path, place});
    return place;
  }

 private:
  std::string LendWord(const std::string& word) {
    constexpr std::string_view kScheme = "file://";
    const bool scheme = word.rfind(kScheme, 0) == 0;
    const std::string path = scheme ? word.substr(kScheme.size()) : word;
    if (path.empty() || path.front() != '/') return word;
    if (!host_.exists(path)) return "";
    return (scheme ? "file://" : "") + LendFile(path);
  }

  const PipHost& host_;
  PipSettings& settings_;
};

std::string CaBundle(const PipHost& host, const PipValues& pip) {
  std::vector<std::string> candidates = {Find(pip, "cert")};
  for (const char* name : {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    candidates.push_back(Find(host.environment, name));
  }
  candidates.emplace_back("/etc/ssl/certs/ca-certificates.crt");
  for (const std::string& path : candidates) {
    if (!path.empty() && path.front() == '/' && host.exists(path)) return path;
  }
  return "";
}

// Gives every proxy that speaks plain HTTP a port inside; others as they are, where they can be
// reached at all.
class ProxyLender {
 public:
  explicit ProxyLender(PipSettings& settings) : settings_(settings) {}

  /// What the container is told instead of `value`; "" where it can have nothing.
  std::string Lend(const std::string& value) {
    const auto url = ParseUrl(value);
    if (!url) {
      Note("a proxy of this machine's configuration is no URL and is left out");
      return "";
    }
    if (url->scheme.empty() || url->scheme == "http") {
      return "http://127.0.0.1:" + std::to_string(PortFor(*url));
    }
    if (!IsLoopbackHost(url->place.host)) return value;
    Note("the proxy " + url->scheme + "://" + TextOf(url->place) +
         " listens on this machine's loopback, which a container does not reach, and only http:// "
         "proxies can be lent from there: name one with PIP_PROXY, HTTP_PROXY and HTTPS_PROXY");
    return "";
  }

 private:
  void Note(const std::string& note) {
    auto& notes = settings_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }

  unsigned short PortFor(const UrlParts& url) {
    HttpProxy proxy{url.place, ""};
    if (url.has_login) {
      proxy.authorization = "Basic " + EncodeBase64(url.user + ":" + url.password);
    }
    auto& proxies = settings_.proxies;
    const auto found = std::find(proxies.begin(), proxies.end(), proxy);
    const auto place = found - proxies.begin();
    if (found == proxies.end()) proxies.push_back(std::move(proxy));
    return RelayPort(static_cast<std::size_t>(place));
  }

  PipSettings& settings_;
};

// Where pip's configuration says packages are: what may be reached through a proxy, and what never
// can be from a container.
void NamePlaces(const PipValues& pip, PipSettings& settings) {
  for (const char* key : {"index-url", "extra-index-url", "find-links"}) {
    std::istringstream words(Find(pip, key));
    for (std::string word; words >> word;) {
      const auto url = ParseUrl(word);
      if (!url || (url->scheme != "http" && url->scheme != "https")) continue;
      settings.named.push_back(url->place);
      if (!IsLoopbackHost(url->place.host)) continue;
      settings.notes.push_back("pip's " + std::string(key) + " " + url->scheme + "://" +
                               TextOf(url->place) +
                               " is on this machine's loopback, which a container does not reach: "
                               "let it listen on another address of this machine and name that "
                               "one");
    }
  }
}

}  // namespace

PipSettings PipSettingsOf(const PipHost& host) {
  PipValues pip = PipConfigOf(host);
  PipSettings settings;
  NamePlaces(pip, settings);
  Lender lender(host, settings);
  ProxyLender proxies(settings);
  const std::string ca = CaBundle(host, pip);
  pip.erase("cert");
  for (const auto& [key, value] : pip) {
    const std::string lent = key == "proxy" ? proxies.Lend(value) : lender.Lend(value);
    if (!lent.empty()) settings.environment[VariableOfKey(key)] = lent;
  }
  if (!ca.empty()) {
    const std::string place = lender.LendFile(ca);
    for (const char* name : {"PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}) {
      settings.environment[name] = place;
    }
  }
  for (const char* name : kProxyVariables) {
    const std::string value = Find(host.environment, name);
    const std::string lent = value.empty() ? "" : proxies.Lend(value);
    if (!lent.empty()) settings.environment[name] = lent;
  }
  for (const char* name : {"NO_PROXY", "no_proxy"}) {
    const std::string value = Find(host.environment, name);
    if (!value.empty()) settings.environment[name] = value;
  }
  return settings;
}

SecretMask SecretsOf(const PipHost& host) {
  SecretMask mask;
  for (const auto& [name, value] : host.environment) {
    const bool proxy =
        name.size() >= 5 && EqualsIgnoringCase(name.substr(name.size() - 5), "proxy");
    if (proxy) mask.AddUrl(value);
    if (proxy || name.starts_with("PIP_")) {
      mask.AddUrlsIn(value);
    } else {
      mask.AddPasswordsIn(value);
    }
  }
  const PipValues pip = PipConfigOf(host);
  if (const std::string proxy = Find(pip, "proxy"); !proxy.empty()) mask.AddUrl(proxy);
  for (const auto& file : host.config_files) {
    if (host.exists(file)) mask.AddUrlsIn(host.read(file));
  }
  for (const auto& file : host.credential_files) {
    if (!host.exists(file)) continue;
    const std::string content = host.read(file);
    mask.AddUrlsIn(content);
    mask.AddNetrcIn(content);
  }
  return mask;
}

std::string ShellExports(const std::map<std::string, std::string>& environment) {
  std::string text;
  for (const auto& [name, value] : environment) {
    const bool nameable = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    if (!nameable) continue;
    text += "export " + name + "='";
    for (const char c : value) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += "'\n";
  }
  return text;
}

}  // namespace mlprof::server::environment
