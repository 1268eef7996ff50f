// One command of the command line, described by data: the parser, the help and the dispatcher all
// read the same description. Also the help that is made of the descriptions.
#pragma once

#include <string>
#include <vector>

#include "client/cli/options.h"
#include "client/cli/session.h"
#include "common/result/result.h"

namespace mlprof::client::cli {

struct Command {
  std::string path;      // "model register"
  std::string operands;  // in the help: "ID"
  std::string summary;
  std::size_t least_operands = 0;
  std::size_t most_operands = 0;
  std::vector<OptionSpec> options;  // besides CommonOptions()
  std::vector<std::string> examples;
  /// The exit status, or the error that decides it.
  Result<int> (*run)(Session& session, const Options& options);
  OutputFormat default_format = OutputFormat::kTable;  // where --output is not given
};

/// What a later version brings: recognised, so that what is said is one clear sentence.
struct LaterCommand {
  std::string path;  // "backup"
};

/// A command of Azure's command line that means nothing here: recognised, so that a script gets one
/// clear sentence. It stands for everything below it.
struct ForeignCommand {
  std::string path;      // "account"
  std::string sentence;  // why there is none, and what to do in its place
};

std::vector<Command> ModelCommands();
std::vector<Command> DatasetCommands();
std::vector<Command> SourceCommands();
std::vector<Command> ProfileCommands();
std::vector<Command> TokenCommands();
Command CreateProfileCommand();
Command CompareCommand();
std::vector<Command> ComparisonCommands();
Command RerunCommand();
Command ArtifactsCommand();
Command ExportCommand();
Command WhatIfCommand();
Command TraceCommand();
Command CaptureCommand();
Command DoctorCommand();
Command GcCommand();
Command AzureEnvCommand();
/// `mlprof ml model …`, in Azure CLI v1's spelling.
std::vector<Command> MlCommands();

const std::vector<Command>& AllCommands();
/// Whether a command of that path ends or removes something, so that it is never proposed.
bool Destroys(const std::string& path);
const std::vector<LaterCommand>& LaterCommands();
const std::vector<ForeignCommand>& ForeignCommands();

/// A wrong use found by a command itself (exit status 2).
inline tl::unexpected<Error> WrongUse(std::string message) {
  return Fail(InvalidArgument(std::move(message)));
}
inline tl::unexpected<Error> ComesLater(const std::string& what) {
  return Fail(ErrorCode::kNotAvailable, what + " comes with a later version of mlprof");
}

/// The help of one command, made of its description.
std::string HelpOf(const Command& command);
/// The help on every command whose path begins with `group`; on all for "".
std::string HelpOfGroup(const std::string& group);

}  // namespace mlprof::client::cli
