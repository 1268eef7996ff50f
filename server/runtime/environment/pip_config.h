// What this machine tells pip about reaching packages: its configuration files and the variables of
// this process.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mlprof::server::environment {

using PipValues = std::map<std::string, std::string>;

/// "" where there is none.
std::string Find(const PipValues& values, const std::string& key);

/// What of the host is looked at; tests give their own.
struct PipHost {
  PipValues environment;                                // the server's own
  std::vector<std::filesystem::path> config_files;      // pip's; later wins
  std::vector<std::filesystem::path> credential_files;  // others that may hold passwords
  std::function<bool(const std::filesystem::path&)> exists;
  std::function<std::string(const std::filesystem::path&)> read;
};
/// This machine, with pip's configuration files in pip's order. Its `read` gives "" for what is no
/// regular file or cannot be read, and no more than the first MiB; it never waits.
PipHost ThisHost();

/// Where apt's mirrors and proxies, and so their passwords, are written down: the files in `apt`,
/// its configuration folder.
std::vector<std::filesystem::path> AptFiles(const std::filesystem::path& apt);

/// pip's options that say how to reach packages ("index-url", "proxy"…), not where to put them.
PipValues PipConfigOf(const PipHost& host);

}  // namespace mlprof::server::environment
