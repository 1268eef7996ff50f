#include "server/runtime/docker/pip_settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "server/runtime/docker/text_lines.h"

extern char** environ;

namespace mlprof::docker {
namespace {

// How to reach packages; not where to put them, which is the recipe's.
constexpr std::string_view kCarried[] = {"index-url",   "extra-index-url", "find-links",
                                         "no-index",    "trusted-host",    "cert",
                                         "proxy",       "timeout",         "retries",
                                         "client-cert", "default-timeout", "prefer-binary",
                                         "only-binary"};

using Values = std::map<std::string, std::string>;

bool IsCarried(std::string_view key) {
  return std::find(std::begin(kCarried), std::end(kCarried), key) != std::end(kCarried);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string KeyOfVariable(std::string_view name) {
  std::string key = Lower(name.substr(sizeof("PIP_") - 1));
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

std::string VariableOfKey(std::string_view key) {
  std::string name = "PIP_";
  for (const char c : key) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

// [global] and [install] of an INI file; a value goes on in indented lines.
void ReadConfig(const std::string& content, Values& values) {
  bool wanted = false;
  std::string key;
  for (const std::string_view line : Lines(content)) {
    const std::string_view text = Trimmed(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') continue;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (indented && !key.empty()) {
      values[key] += (values[key].empty() ? "" : " ") + std::string(text);
      continue;
    }
    if (text.front() == '[') {
      wanted = text == "[global]" || text == "[install]";
      key.clear();
      continue;
    }
    const std::size_t split = text.find_first_of("=:");
    if (!wanted || split == std::string_view::npos) continue;
    key = Lower(Trimmed(text.substr(0, split)));
    std::replace(key.begin(), key.end(), '_', '-');
    if (!IsCarried(key)) {
      key.clear();
      continue;
    }
    values[key] = Trimmed(text.substr(split + 1));
  }
}

std::string Find(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
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
        std::string(kLentFolder) + "/" + std::to_string(settings_.mounts.size());
    settings_.mounts.push_back({path, place});
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

std::string CaBundle(const PipHost& host, const Values& pip) {
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

bool IsLoopbackProxy(std::string_view proxy) {
  const std::size_t scheme = proxy.find("://");
  std::string_view host = scheme == std::string_view::npos ? proxy : proxy.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) host = host.substr(at + 1);
  return host.substr(0, 4) == "127." || host.substr(0, 9) == "localhost" ||
         host.substr(0, 5) == "[::1]";
}

std::vector<std::filesystem::path> ConfigFiles(const Values& environment) {
  const std::string home = Find(environment, "HOME");
  const std::string config_home = Find(environment, "XDG_CONFIG_HOME");
  std::vector<std::filesystem::path> files = {"/etc/xdg/pip/pip.conf", "/etc/pip.conf"};
  if (!home.empty()) files.push_back(std::filesystem::path(home) / ".pip/pip.conf");
  if (!config_home.empty()) {
    files.push_back(std::filesystem::path(config_home) / "pip/pip.conf");
  } else if (!home.empty()) {
    files.push_back(std::filesystem::path(home) / ".config/pip/pip.conf");
  }
  const std::string named = Find(environment, "PIP_CONFIG_FILE");
  if (named == "/dev/null") return {};  // pip's own way of saying "none of them"
  if (!named.empty()) files.emplace_back(named);
  return files;
}

}  // namespace

PipHost ThisHost() {
  PipHost host;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    host.environment.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  host.config_files = ConfigFiles(host.environment);
  host.exists = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  };
  host.read = [](const std::filesystem::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  return host;
}

PipSettings PipSettingsOf(const PipHost& host) {
  Values pip;
  for (const auto& file : host.config_files) {
    if (host.exists(file)) ReadConfig(host.read(file), pip);
  }
  for (const auto& [name, value] : host.environment) {
    if (name.rfind("PIP_", 0) == 0 && IsCarried(KeyOfVariable(name))) {
      pip[KeyOfVariable(name)] = value;
    }
  }
  PipSettings settings;
  Lender lender(host, settings);
  const std::string ca = CaBundle(host, pip);
  pip.erase("cert");
  for (const auto& [key, value] : pip) {
    const std::string lent = lender.Lend(value);
    if (!lent.empty()) settings.environment[VariableOfKey(key)] = lent;
    if (key == "proxy" && IsLoopbackProxy(value)) settings.host_network = true;
  }
  if (!ca.empty()) {
    const std::string place = lender.LendFile(ca);
    for (const char* name : {"PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}) {
      settings.environment[name] = place;
    }
  }
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy",
                           "https_proxy", "all_proxy", "no_proxy"}) {
    const std::string value = Find(host.environment, name);
    if (value.empty()) continue;
    settings.environment[name] = value;
    if (Lower(name) != "no_proxy" && IsLoopbackProxy(value)) settings.host_network = true;
  }
  return settings;
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

}  // namespace mlprof::docker
