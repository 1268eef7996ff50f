#include "server/runtime/environment/pip_config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "common/os/unique_fd.h"
#include "server/runtime/environment/text_lines.h"

extern char** environ;

namespace mlprof::server::environment {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 20;

// The options that are carried into the container: how to reach packages. Where to put them is for
// environment_recipe.cc to say.
constexpr std::string_view kCarried[] = {"index-url",   "extra-index-url", "find-links",
                                         "no-index",    "trusted-host",    "cert",
                                         "proxy",       "timeout",         "retries",
                                         "client-cert", "default-timeout", "prefer-binary",
                                         "only-binary"};

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

// [global] and [install] of an INI file; a value goes on in indented lines.
void ReadConfig(const std::string& content, PipValues& values) {
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

std::vector<std::filesystem::path> ConfigFiles(const PipValues& environment) {
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

// A name may stand for a folder, a pipe or a device that never ends.
std::string ReadRegular(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::string content;
  char buffer[16384];
  while (content.size() < kLongestFile) {
    const ssize_t count =
        ::read(file.get(), buffer, std::min(sizeof buffer, kLongestFile - content.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    content.append(buffer, static_cast<std::size_t>(count));
  }
  return content;
}

}  // namespace

std::vector<std::filesystem::path> AptFiles(const std::filesystem::path& apt) {
  std::vector<std::filesystem::path> files = {apt / "apt.conf", apt / "sources.list",
                                              apt / "auth.conf"};
  for (const char* folder : {"apt.conf.d", "sources.list.d", "auth.conf.d"}) {
    std::error_code error;
    std::filesystem::directory_iterator entry(apt / folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      std::error_code unknown;
      if (entry->is_regular_file(unknown)) files.push_back(entry->path());
    }
  }
  return files;
}

std::string Find(const PipValues& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

PipHost ThisHost() {
  PipHost host;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    host.environment.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  host.config_files = ConfigFiles(host.environment);
  host.credential_files = AptFiles("/etc/apt");
  host.exists = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  };
  host.read = ReadRegular;
  return host;
}

PipValues PipConfigOf(const PipHost& host) {
  PipValues pip;
  for (const auto& file : host.config_files) {
    if (host.exists(file)) ReadConfig(host.read(file), pip);
  }
  for (const auto& [name, value] : host.environment) {
    if (name.rfind("PIP_", 0) == 0 && IsCarried(KeyOfVariable(name))) {
      pip[KeyOfVariable(name)] = value;
    }
  }
  return pip;
}

}  // namespace mlprof::server::environment
