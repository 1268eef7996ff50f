#include "client/cli/server_location.h"

#include "client/cli/text_file.h"
#include "common/json/json.h"

namespace mlprof::client::cli {
namespace {

namespace fs = std::filesystem;

Result<fs::path> BaseFolder(const Surroundings& surroundings, const std::string& variable,
                            const std::string& below_home) {
  if (const auto folder = surroundings.environment(variable); folder && folder->starts_with('/')) {
    return fs::path(*folder);
  }
  const auto home = surroundings.environment("HOME");
  if (!home) return Fail(InvalidArgument("neither " + variable + " nor HOME is set"));
  return fs::path(*home) / below_home;
}

struct Configured {
  std::string server;
  std::string token;
  std::string ca;
};

Status ReadMember(const Json& json, const char* key, std::string& into, const fs::path& file) {
  const auto member = json.find(key);
  if (member == json.end() || member->is_null()) return {};
  if (!member->is_string()) {
    return Fail(InvalidArgument(file.string() + ": /" + key + " must be a string"));
  }
  into = member->get<std::string>();
  return {};
}

Status CheckIsPrivate(const fs::path& file) {
  std::error_code error;
  const auto others = fs::perms::group_all | fs::perms::others_all;
  const auto status = fs::status(file, error);
  if (error || (status.permissions() & others) == fs::perms::none) return {};
  return Fail(InvalidArgument(file.string() + " holds a token, and others may read it: chmod 600 " +
                              file.string()));
}

// Nothing of it where there is no such file.
Result<Configured> ReadConfigFile(const Surroundings& surroundings) {
  Configured configured;
  const auto folder = BaseFolder(surroundings, "XDG_CONFIG_HOME", ".config");
  if (!folder) return configured;
  const fs::path file = *folder / "mlprof" / "config.json";
  std::error_code error;
  if (!fs::exists(file, error)) return configured;
  MLPROF_LET(text, ReadTextFile(file));
  const auto json = ParseJson(text);
  if (!json) return Fail(json.error().WithContext(file.string()));
  if (!json->is_object()) return Fail(InvalidArgument(file.string() + " is no JSON object"));
  MLPROF_TRY(ReadMember(*json, "server", configured.server, file));
  MLPROF_TRY(ReadMember(*json, "token", configured.token, file));
  MLPROF_TRY(ReadMember(*json, "ca", configured.ca, file));
  if (!configured.token.empty()) MLPROF_TRY(CheckIsPrivate(file));
  return configured;
}

std::string UrlFor(const std::string& option, const Configured& configured,
                   const Surroundings& surroundings) {
  if (!option.empty()) return option;
  return surroundings.environment("MLPROF_SERVER").value_or(configured.server);
}

}  // namespace

Result<fs::path> CacheFolder(const Surroundings& surroundings) {
  auto folder = BaseFolder(surroundings, "XDG_CACHE_HOME", ".cache");
  if (!folder) return folder;
  return *folder / "mlprof";
}

Result<fs::path> PrivateDataFolder(const Surroundings& surroundings) {
  auto folder = BaseFolder(surroundings, "XDG_DATA_HOME", ".local/share");
  if (!folder) return folder;
  return *folder / "mlprof";
}

Result<ServerLocation> LocateServer(const std::string& option, const Surroundings& surroundings) {
  MLPROF_LET(configured, ReadConfigFile(surroundings));
  ServerLocation location;
  location.url = UrlFor(option, configured, surroundings);
  if (location.url.empty()) {
    MLPROF_LET(data_dir, PrivateDataFolder(surroundings));
    location.data_dir = std::move(data_dir);
    return location;
  }
  const bool is_its_server = configured.server.empty() || configured.server == location.url;
  location.token =
      surroundings.environment("MLPROF_TOKEN").value_or(is_its_server ? configured.token : "");
  location.ca_file = surroundings.environment("MLPROF_CA").value_or(configured.ca);
  return location;
}

Result<ServerLocation> LocateDataDirectory(const std::string& data_dir) {
  std::error_code error;
  ServerLocation location;
  location.visits = true;
  if (!data_dir.empty()) location.data_dir = fs::absolute(data_dir, error).lexically_normal();
  if (data_dir.empty() || error) {
    return Fail(InvalidArgument("--data-dir must name a folder, not '" + data_dir + "'"));
  }
  return location;
}

}  // namespace mlprof::client::cli
