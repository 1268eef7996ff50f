#include "server/runtime/process/environment/preparation_plan.h"

#include "common/text/base64.h"
#include "common/text/percent.h"
#include "server/runtime/environment/environment_recipe.h"
#include "server/runtime/model_start.h"

namespace mlprof::server::process {
namespace {

using Kind = SandboxStep::Kind;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string VariablesInside() { return std::string(environment::kLentFolder) + "/environment"; }

// "http://USER:PASSWORD@HOST:PORT" again.
std::string UrlOf(const environment::HttpProxy& proxy) {
  constexpr std::string_view kBasic = "Basic ";
  std::string login;
  if (proxy.authorization.starts_with(kBasic)) {
    const auto decoded = DecodeBase64(proxy.authorization.substr(kBasic.size()));
    const std::string text = decoded.value_or("");
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos) {
      login =
          PercentEncode(text.substr(0, colon)) + ":" + PercentEncode(text.substr(colon + 1)) + "@";
    }
  }
  return "http://" + login + environment::TextOf(proxy.place);
}

std::string ScriptAt(const PreparationPlaces& places, Apart apart) {
  std::string script = environment::kPreparationScript;
  if (apart != Apart::kNot) return script;
  script = Replaced(script, VariablesInside(), places.variables.string());
  script = Replaced(script, "HOME=/tmp", "HOME=" + places.temporary.string());
  return Replaced(script, kEnvironmentFolder, places.environment.string());
}

std::vector<OwnPlace> PlacesFor(const environment::PipSettings& pip,
                                const PreparationPlaces& places, const ListFolder& list) {
  std::vector<OwnPlace> own = SystemPlaces(MiB(64), 0, {}, list);
  own.push_back({Kind::kWritable, places.temporary.string(), "/tmp"});
  own.push_back({Kind::kWritable, places.environment.string(), kEnvironmentFolder});
  own.push_back({Kind::kReadOnly, places.variables.string(), VariablesInside()});
  for (const environment::LentFile& file : pip.files) {
    own.push_back({Kind::kReadOnly, file.here.string(), file.inside});
  }
  // Where systemd resolves names, /etc/resolv.conf is a link to there.
  if (!list("/run/systemd/resolve").empty()) {
    own.push_back({Kind::kReadOnly, "/run/systemd/resolve", "/run/systemd/resolve"});
  }
  return own;
}

}  // namespace

environment::PipSettings OnThisNetwork(environment::PipSettings settings) {
  for (std::size_t i = 0; i < settings.proxies.size(); ++i) {
    const std::string relay = "http://127.0.0.1:" + std::to_string(environment::RelayPort(i));
    for (auto& [name, value] : settings.environment) {
      if (value == relay) value = UrlOf(settings.proxies[i]);
    }
  }
  settings.proxies.clear();
  settings.notes.clear();  // they tell what a container cannot reach
  return settings;
}

std::map<std::string, std::string> VariablesFor(const environment::PipSettings& pip, Apart apart) {
  std::map<std::string, std::string> variables = pip.environment;
  if (apart != Apart::kNot) return variables;
  for (auto& [name, value] : variables) {
    for (const environment::LentFile& file : pip.files) {
      value = Replaced(value, file.inside, file.here.string());
    }
  }
  return variables;
}

SandboxPlan PreparationPlan(const std::vector<std::string>& packages,
                            const environment::PipSettings& pip, const PreparationPlaces& places,
                            Apart apart, const ListFolder& list) {
  SandboxPlan plan;
  plan.network = true;
  plan.user_namespace = apart == Apart::kAsUser;
  if (apart != Apart::kNot) {
    plan.root = places.root.string();
    plan.steps = RootSteps(PlacesFor(pip, places, list), list);
    Hide(places.data, plan.steps);
    plan.host_name = kModelHostName;
  }
  if (apart == Apart::kAsRoot) plan.run_as = kNobodyId;
  plan.command = {"/bin/sh", "-c", ScriptAt(places, apart), "prepare"};
  plan.command.insert(plan.command.end(), packages.begin(), packages.end());
  plan.environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                      "LANG=C.UTF-8"};
  return plan;
}

}  // namespace mlprof::server::process
