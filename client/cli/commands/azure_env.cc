// `mlprof azure-env`: the environment that points an unmodified azureml-core at the server.
#include <arpa/inet.h>
#include <netinet/in.h>

#include "client/cli/azure/azure_variables.h"
#include "client/cli/azure/sdk_files.h"
#include "client/cli/command.h"

namespace mlprof::client::cli {
namespace {

constexpr std::chrono::seconds kResponseWait{10};
constexpr const char* kHowToStart = "mlprof-server --tls-listen 127.0.0.1:8443";

Status CheckAzureEnvUse(Session& session, const Options& options) {
  if (session.uses_private_server()) {
    return WrongUse(std::string("azure-env needs a server that goes on: start one with '") +
                    kHowToStart + "' and name it with --server or MLPROF_SERVER");
  }
  const bool has_group = options.Has("--resource-group");
  const bool has_workspace = options.Has("--workspace");
  if (has_group != has_workspace || (options.Has("--subscription") && !has_group)) {
    return WrongUse("--resource-group and --workspace belong together");
  }
  return {};
}

bool IsLoopbackV4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 &&
         ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
}

bool IsUnprotected(const std::string& url) {
  const std::string authority = AuthorityOf(url);
  const std::string host =
      authority.ends_with(']') ? authority : authority.substr(0, authority.rfind(':'));
  return url.starts_with("http://") && host != "localhost" && host != "[::1]" &&
         !IsLoopbackV4(host);
}

Result<TlsEndpoint> TlsOfServer(Session& session) {
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(version, client.Version());
  if (!version.tls) {
    return WrongUse(std::string("the server speaks no TLS, which azureml-core insists on: start it "
                                "with '") +
                    kHowToStart + "'");
  }
  if (!version.tls->url.starts_with("https://")) {
    return Fail(Internal("the server's response has no address for TLS"));
  }
  if (IsUnprotected(session.server().url)) {
    session.Say(
        "warning: the server's CA came over plain HTTP from another machine; who changes it "
        "on the way can listen in");
  }
  return std::move(*version.tls);
}

// As the SDK will do it, with these certificates.
Status CheckResponse(Session& session, const TlsEndpoint& tls, const CaBundle& bundle) {
  MLPROF_LET(transport, session.surroundings().connect(tls.url, "", bundle.file.string()));
  RestRequest request;
  request.target = "/metadata/endpoints";
  request.idle_timeout = kResponseWait;
  MLPROF_LET(response, transport->Send(request));
  const auto json = ParseJson(response.body);
  if (response.ok() && json && json->is_array()) return {};
  return Fail(Internal(tls.url + request.target + " answers with status " +
                       std::to_string(response.status) + " and no list of clouds"));
}

void WarnOf(Session& session, const TlsEndpoint& tls, const CaBundle& bundle) {
  if (!bundle.has_public) {
    session.Say("warning: no public CAs were found here, so " + bundle.file.string() +
                " has the server's alone");
  }
  for (const auto& cache : StaleCaches(session.surroundings(), AuthorityOf(tls.url))) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(cache, error);
    session.Say("warning: " + cache.string() +
                " has the responses of another server, which the SDK " +
                "would go on using; remove it: " + (is_folder ? "rm -r " : "rm ") +
                ShellQuoted(cache.string()));
  }
}

// The SDK refuses a workspace whose subscription the server does not list yet.
Status UseWorkspace(Session& session, const Options& options) {
  if (!options.Has("--workspace")) return {};
  MLPROF_LET(client, session.Connect());
  return client.UseAzureWorkspace(SubscriptionOf(options, session.surroundings()),
                                  options.Text("--resource-group"), options.Text("--workspace"));
}

// null where no workspace is named.
Json WorkspaceConfig(const Options& options, const Surroundings& surroundings) {
  if (!options.Has("--workspace")) return nullptr;
  return {{"subscription_id", SubscriptionOf(options, surroundings)},
          {"resource_group", options.Text("--resource-group")},
          {"workspace_name", options.Text("--workspace")}};
}

void Print(Session& session, const Options& options, const Variables& variables) {
  const Json config = WorkspaceConfig(options, session.surroundings());
  if (session.format() == OutputFormat::kTable) {
    std::ostream& out = session.surroundings().out;
    out << ExportLines(variables);
    if (!config.is_null()) {
      out << "# config.json for Workspace.from_config(): " << DumpJson(config) << "\n";
    }
    out << std::flush;
    return;
  }
  Json values = Json::object();
  Table table{{"VARIABLE", "VALUE"}, {}};
  for (const auto& [name, value] : variables) {
    values[name] = value;
    table.rows.push_back({name, value});
  }
  session.Print({{"environmentVariables", values}, {"config", config}}, table);
}

Result<int> AzureEnv(Session& session, const Options& options) {
  MLPROF_TRY(CheckAzureEnvUse(session, options));
  MLPROF_LET(tls, TlsOfServer(session));
  MLPROF_LET(bundle, WriteCaBundle(tls, session.surroundings()));
  if (const Status checked = CheckResponse(session, tls, bundle); !checked) {
    session.Say(tls.url + " cannot be used: " + checked.error().message());
    return checked.error().code() == ErrorCode::kInternal ? kRefused : kOutOfReach;
  }
  MLPROF_TRY(UseWorkspace(session, options));
  WarnOf(session, tls, bundle);
  Print(session, options, AzureVariables(tls.url, session.server().token, bundle.file.string()));
  return kDone;
}

}  // namespace

Command AzureEnvCommand() {
  return {"azure-env",
          "",
          "print the environment that points azureml-core at the server",
          0,
          0,
          {},
          {"eval \"$(mlprof azure-env)\"",
           "mlprof azure-env --subscription SUB --resource-group GROUP --workspace WS"},
          AzureEnv};
}

}  // namespace mlprof::client::cli
