#include "client/cli/commands/ml/azure_options.h"

#include "client/cli/azure/az_output.h"

namespace mlprof::client::cli {

std::vector<OptionSpec> WithAzureOptions(std::vector<OptionSpec> own) {
  own.push_back({{"--output", "-o"}, "FORMAT", "json (default), jsonc, table, tsv, yaml or none"});
  own.push_back({{"--query"}, "PATH", "print this part alone: id, [0].id, [].name"});
  own.push_back({{"--path"}, "DIR", "ignored"});
  own.push_back({{"--verbose", "-v", "--debug", "--only-show-errors"}, "", "ignored"});
  return own;
}

void SayIgnored(Session& session, const Options& options, const std::vector<std::string>& names) {
  std::vector<std::string> given;
  for (const std::string& name : names) {
    if (options.Has(name)) given.push_back(name);
  }
  if (options.Has("--path")) given.emplace_back("--path");
  if (given.empty()) return;
  std::string text = given[0];
  for (std::size_t i = 1; i < given.size(); ++i) {
    text += (i + 1 < given.size() ? ", " : " and ") + given[i];
  }
  session.Say(text + (given.size() > 1 ? " mean nothing to mlprof and are ignored"
                                       : " means nothing to mlprof and is ignored"));
}

Status CheckAzureOptions(const Options& options) {
  if (options.Has("--resource-group") && !options.Has("--workspace")) {
    return Fail(InvalidArgument("--resource-group needs --workspace-name"));
  }
  return CheckQuery(options);
}

}  // namespace mlprof::client::cli
