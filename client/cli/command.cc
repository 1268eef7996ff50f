#include "client/cli/command.h"

#include <algorithm>
#include <array>

#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

std::vector<Command> MakeAll() {
  std::vector<Command> all;
  for (auto group :
       {ModelCommands(), DatasetCommands(), SourceCommands(), ProfileCommands(), TokenCommands()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  all.push_back(CreateProfileCommand());
  all.push_back(CompareCommand());
  for (Command& command : ComparisonCommands()) all.push_back(std::move(command));
  all.push_back(RerunCommand());
  all.push_back(ArtifactsCommand());
  all.push_back(ExportCommand());
  all.push_back(WhatIfCommand());
  all.push_back(TraceCommand());
  all.push_back(CaptureCommand());
  all.push_back(GcCommand());
  all.push_back(DoctorCommand());
  all.push_back(AzureEnvCommand());
  for (Command& command : MlCommands()) all.push_back(std::move(command));
  return all;
}

}  // namespace

const std::vector<Command>& AllCommands() {
  static const std::vector<Command> all = MakeAll();
  return all;
}

bool Destroys(const std::string& path) {
  constexpr std::array<std::string_view, 5> kWords = {"delete", "cancel", "revoke", "gc",
                                                      "restore"};
  const std::string last = path.substr(path.rfind(' ') + 1);
  return std::find(kWords.begin(), kWords.end(), last) != kWords.end();
}

const std::vector<LaterCommand>& LaterCommands() {
  static const std::vector<LaterCommand> later = {
      {"backup"},         {"restore"},       {"check"},       {"completion"},
      {"profile trials"}, {"profile watch"}, {"profile why"}, {"workspace list"},
  };
  return later;
}

namespace {

constexpr std::size_t kHelpColumn = 34;

std::string Entry(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  const std::size_t width = Width(line);
  line += width + 2 <= kHelpColumn ? std::string(kHelpColumn - width, ' ')
                                   : "\n" + std::string(kHelpColumn, ' ');
  return line + right + "\n";
}

std::string OptionEntry(const OptionSpec& spec) {
  std::string names;
  for (const std::string& name : spec.names) names += (names.empty() ? "" : ", ") + name;
  if (!spec.value.empty()) names += " " + spec.value;
  return Entry(names, spec.help + (spec.repeated ? " (may be repeated)" : ""));
}

// A command may say more about a common option than all of them do.
bool HasOwn(const Command& command, const OptionSpec& common) {
  return std::any_of(command.options.begin(), command.options.end(), [&](const OptionSpec& own) {
    return own.names.front() == common.names.front();
  });
}

}  // namespace

std::string HelpOf(const Command& command) {
  std::string out = command.summary + "\n\nUsage: mlprof " + command.path;
  if (!command.operands.empty()) out += " " + command.operands;
  out += " [options]\n\nOptions:\n";
  for (const OptionSpec& spec : command.options) out += OptionEntry(spec);
  out += "\nCommon options:\n";
  for (const OptionSpec& spec : CommonOptions()) {
    if (!HasOwn(command, spec)) out += OptionEntry(spec);
  }
  out += "\nExamples:\n";
  for (const std::string& example : command.examples) out += "  " + example + "\n";
  return out;
}

std::string HelpOfGroup(const std::string& group) {
  std::string out =
      "mlprof finds how much CPU and memory a model needs, and proves it.\n\nCommands:\n";
  for (const Command& command : AllCommands()) {
    if (!group.empty() && command.path != group && !command.path.starts_with(group + " ")) continue;
    const std::string operands = command.operands.empty() ? "" : " " + command.operands;
    out += Entry(command.path + operands, command.summary);
  }
  out +=
      "\n'mlprof COMMAND --help' shows its options and examples.\n"
      "Exit status: 0 done; 1 failed or refused; 2 wrong use; 3 not found; 4 server out of reach; "
      "5 not verified; 6 no answer.\n";
  return out;
}

}  // namespace mlprof::client::cli
