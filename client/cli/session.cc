#include "client/cli/session.h"

#include "client/cli/output/details.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

// The check of a large database may hold up a private server's start for ten seconds, and a former
// server may take as long to end.
constexpr std::chrono::seconds kServerStart{60};

// An Azure workspace is SUBSCRIPTION/GROUP/NAME; without a group the name alone is one of ours.
std::string WorkspaceOf(const Options& options, const Surroundings& surroundings) {
  const std::string name = options.Text("--workspace");
  const std::string group = options.Text("--resource-group");
  if (name.empty()) return surroundings.environment("MLPROF_WORKSPACE").value_or("default");
  if (group.empty()) return name;
  return SubscriptionOf(options, surroundings) + "/" + group + "/" + name;
}

Result<ServerLocation> Locate(const Options& options, const Surroundings& surroundings) {
  if (!options.Has("--data-dir")) return LocateServer(options.Text("--server"), surroundings);
  if (options.Has("--server")) {
    return Fail(InvalidArgument("--server and --data-dir name two servers: give one of them"));
  }
  return LocateDataDirectory(options.Text("--data-dir"));
}

}  // namespace

OptionSpec DataDirOption() {
  return {{"--data-dir"},
          "DIR",
          "work on a server's data directory while no server runs there, as the user it runs as"};
}

std::string SubscriptionOf(const Options& options, const Surroundings& surroundings) {
  if (options.Has("--subscription")) return options.Text("--subscription");
  return surroundings.environment("AZURE_SUBSCRIPTION_ID").value_or("default");
}

const std::vector<OptionSpec>& CommonOptions() {
  static const std::vector<OptionSpec> specs = {
      {{"--server"},
       "URL",
       "the server to talk to (else MLPROF_SERVER, the config file, or a "
       "private server for the length of the command)"},
      {{"--workspace", "-w", "--workspace-name"}, "NAME", "the workspace to work in"},
      {{"--resource-group", "-g"}, "GROUP", "of an Azure workspace"},
      {{"--subscription", "--subscription-id"},
       "ID",
       "of an Azure workspace (else AZURE_SUBSCRIPTION_ID, else default)"},
      {{"--output", "-o"}, "FORMAT", "table (default), json, yaml or tsv"},
      {{"--help", "-h"}, "", "show this help"},
  };
  return specs;
}

Result<Session> Session::Open(Surroundings& surroundings, const Options& options,
                              OutputFormat default_format) {
  const std::string name = options.Text("--output");
  const auto format = options.Has("--output") ? ParseOutputFormat(name) : default_format;
  if (!format) {
    return Fail(InvalidArgument("--output must be table, json, yaml or tsv, not '" + name + "'"));
  }
  MLPROF_LET(location, Locate(options, surroundings));
  // Whoever starts the server is its operator: what a command asks for is what it is started with.
  const std::string runtime = options.Text("--runtime") == "process" ? "process" : "";
  return Session(surroundings, *format, std::move(location), WorkspaceOf(options, surroundings),
                 runtime);
}

Result<std::unique_ptr<RestTransport>> Session::Reach() {
  if (!location_.IsPrivate()) {
    return surroundings_->connect(location_.url, location_.token, location_.ca_file);
  }
  if (location_.visits) {
    if (!visiting_server_) {
      MLPROF_LET(visiting, VisitingServer::Start(location_.data_dir, *surroundings_,
                                                 Deadline::After(kServerStart)));
      visiting_server_.emplace(std::move(visiting));
    }
    return surroundings_->connect(visiting_server_->url(), visiting_server_->token(), "");
  }
  if (!private_server_) {
    MLPROF_LET(joined, JoinPrivateServer(location_.data_dir, runtime_, *surroundings_,
                                         Deadline::After(kServerStart)));
    private_server_ = std::move(joined);
  }
  return surroundings_->connect(private_server_->url, private_server_->token, "");
}

Result<Client> Session::Connect() {
  MLPROF_LET(transport, Reach());
  return Client(Observed(std::move(transport), last_), workspace_);
}

Result<Client> Session::ConnectAside(std::shared_ptr<LastExchange> last) {
  MLPROF_LET(transport, Reach());
  if (last) transport = Observed(std::move(transport), std::move(last));
  return Client(std::move(transport), workspace_);
}

void Session::Say(const std::string& text) {
  surroundings_->err << "mlprof: " << VisibleLines(text) << "\n" << std::flush;
}

bool Session::Confirm(const std::string& question) {
  surroundings_->err << "mlprof: " << VisibleLines(question) << " [y/N] " << std::flush;
  return surroundings_->confirms();
}

void Session::Print(const Json& json, const Table& table) {
  surroundings_->out << Formatted(format_, json, table, Aligned(table)) << std::flush;
}

void Session::Print(const Json& json, const Table& tsv, const std::string& details) {
  // To a file or a pipe lines go whole.
  const bool wrap = surroundings_->out_is_terminal;
  const std::string shown =
      wrap ? Wrapped(details, static_cast<std::size_t>(surroundings_->columns)) : details;
  surroundings_->out << Formatted(format_, json, tsv, shown) << std::flush;
}

}  // namespace mlprof::client::cli
