// One run of the command line: its surroundings, what the common options say, and the server, which
// is looked for (and started where it is private) when it is first needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/cli/exit_status.h"
#include "client/cli/options.h"
#include "client/cli/output/format.h"
#include "client/cli/private_server.h"
#include "client/cli/server_location.h"
#include "client/cli/surroundings.h"
#include "client/cli/visiting_server.h"
#include "client/include/mlprof/client.h"

namespace mlprof::client::cli {

class Session {
 public:
  /// kInvalidArgument for a wrong --output or config file.
  static Result<Session> Open(Surroundings& surroundings, const Options& options,
                              OutputFormat default_format);

  Surroundings& surroundings() { return *surroundings_; }
  OutputFormat format() const { return format_; }
  const ServerLocation& server() const { return location_; }
  /// "default", or "SUBSCRIPTION/GROUP/NAME" of an Azure workspace.
  const std::string& workspace() const { return workspace_; }
  bool uses_private_server() const { return location_.IsPrivate(); }
  const LastExchange& last_exchange() const { return *last_; }

  /// A client of its own for each call; they may be used from different threads.
  Result<Client> Connect();
  /// As Connect, but its outcomes are noted in `last`, if at all, and count for the exit status
  /// only once they are taken over.
  Result<Client> ConnectAside(std::shared_ptr<LastExchange> last = nullptr);
  void TakeOver(const LastExchange& last) { *last_ = last; }

  /// A message on stderr: "mlprof: TEXT".
  void Say(const std::string& text);
  /// Asks the person at the terminal, where surroundings().can_ask.
  bool Confirm(const std::string& question);
  /// The result on stdout: `json` in the machine formats, `table` else.
  void Print(const Json& json, const Table& table);
  void Print(const Json& json, const Table& tsv, const std::string& details);

 private:
  Session(Surroundings& surroundings, OutputFormat format, ServerLocation location,
          std::string workspace, std::string runtime)
      : surroundings_(&surroundings),
        format_(format),
        location_(std::move(location)),
        workspace_(std::move(workspace)),
        runtime_(std::move(runtime)),
        last_(std::make_shared<LastExchange>()) {}
  Result<std::unique_ptr<RestTransport>> Reach();

  Surroundings* surroundings_;
  OutputFormat format_;
  ServerLocation location_;
  std::string workspace_;
  std::string runtime_;  // of a private server that this command starts; "": as configured
  std::shared_ptr<LastExchange> last_;
  std::optional<PrivateServer> private_server_;
  std::optional<VisitingServer> visiting_server_;
};

/// --data-dir, of commands that take it: Session::Open heeds it.
OptionSpec DataDirOption();
/// Options that every command takes.
const std::vector<OptionSpec>& CommonOptions();
/// --subscription, else AZURE_SUBSCRIPTION_ID, else "default".
std::string SubscriptionOf(const Options& options, const Surroundings& surroundings);

}  // namespace mlprof::client::cli
