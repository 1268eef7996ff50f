#include "client/include/mlprof/client.h"
#include "client/src/connection.h"
#include "client/src/json_fields.h"
#include "common/json/json_reader.h"

namespace mlprof::client {
namespace {

std::optional<TlsEndpoint> TlsOf(const Json& version) {
  if (!version.is_object()) return std::nullopt;
  const auto tls = version.find("tls");
  if (tls == version.end() || !tls->is_object()) return std::nullopt;
  return TlsEndpoint{TextField(*tls, "url"), TextField(*tls, "caCertificate")};
}

}  // namespace

Client::Client(std::unique_ptr<RestTransport> transport, std::string workspace)
    : connection_(std::make_unique<Connection>(std::move(transport), std::move(workspace))) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Status Client::Health() { return StatusOf(connection_->Call("GET", Target("/healthz"))); }
Result<ServerVersion> Client::Version() {
  MLPROF_LET(response, connection_->Call("GET", Target("/version")));
  MLPROF_LET(json, JsonOf(response));
  return ServerVersion{TextField(json, "version"), TlsOf(json)};
}
Status Client::UseAzureWorkspace(const std::string& subscription, const std::string& group,
                                 const std::string& name) {
  Target target("/subscriptions");
  target.Segment(subscription).Segment("resourceGroups").Segment(group).Segment("providers");
  target.Segment("Microsoft.MachineLearningServices").Segment("workspaces").Segment(name);
  return StatusOf(connection_->CallWithJson("PUT", target, Json::object()));
}
Status Client::Readiness() { return StatusOf(connection_->Call("GET", Target("/readyz"))); }

namespace {

Result<Garbage> DecodeGarbage(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  Garbage garbage;
  for (JsonReader& read : reader.Objects("items")) {
    GarbageItem item;
    Assign(item.kind, read.String("kind"));
    Assign(item.id, read.String("id"));
    if (const auto bytes = read.BigInteger("bytes")) item.size = Bytes(*bytes);
    Assign(item.action, read.String("action"));
    Assign(item.why, read.String("why"));
    garbage.items.push_back(std::move(item));
  }
  if (const auto freed = reader.BigInteger("freedBytes")) garbage.freed = Bytes(*freed);
  Assign(garbage.notes, reader.Strings("notes"));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return garbage;
}

}  // namespace

Result<Resource<Garbage>> Client::CollectGarbage(const GarbageRequest& request) {
  Json body = {{"dryRun", request.dry_run}};
  if (request.profiles_older_than) {
    body["profilesOlderThanSeconds"] = request.profiles_older_than->count();
  }
  return Decoded(connection_->CallWithJson("POST", Target("/gc"), body), &DecodeGarbage);
}

}  // namespace mlprof::client
