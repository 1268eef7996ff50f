#include "client/cli/server_location.h"

#include "client/cli/text_file.h"
#include "common/json/json.h"

namespace mlprof::cli {
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

Result<std::string> ServerOfConfigFile(const Surroundings& surroundings) {
  const auto folder = BaseFolder(surroundings, "XDG_CONFIG_HOME", ".config");
  if (!folder) return std::string();
  const fs::path file = *folder / "mlprof" / "config.json";
  std::error_code error;
  if (!fs::exists(file, error)) return std::string();
  const auto text = ReadTextFile(file);
  if (!text) return Fail(text.error());
  const auto json = ParseJson(*text);
  if (!json) return Fail(json.error().WithContext(file.string()));
  if (!json->is_object()) return Fail(InvalidArgument(file.string() + " is no JSON object"));
  const auto server = json->find("server");
  if (server == json->end() || server->is_null()) return std::string();
  if (!server->is_string()) {
    return Fail(InvalidArgument(file.string() + ": /server must be a URL"));
  }
  return server->get<std::string>();
}

}  // namespace

Result<fs::path> PrivateDataFolder(const Surroundings& surroundings) {
  auto folder = BaseFolder(surroundings, "XDG_DATA_HOME", ".local/share");
  if (!folder) return folder;
  return *folder / "mlprof";
}

Result<ServerLocation> LocateServer(const std::string& option, const Surroundings& surroundings) {
  if (!option.empty()) return ServerLocation{option, {}};
  if (const auto url = surroundings.environment("MLPROF_SERVER")) return ServerLocation{*url, {}};
  const auto configured = ServerOfConfigFile(surroundings);
  if (!configured) return Fail(configured.error());
  if (!configured->empty()) return ServerLocation{*configured, {}};
  auto data_dir = PrivateDataFolder(surroundings);
  if (!data_dir) return Fail(data_dir.error());
  return ServerLocation{"", std::move(*data_dir)};
}

}  // namespace mlprof::cli
