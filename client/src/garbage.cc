#include "client/include/mlprof/garbage.h"

#include "client/include/mlprof/client.h"
#include "client/src/connection.h"
#include "common/json/json_reader.h"

namespace mlprof::client {
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
