#include "server/storage/instance_record.h"

#include <fcntl.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "common/json/json.h"
#include "server/storage/database.h"
#include "server/storage/durable_file.h"
#include "server/storage/random_id.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

std::string TextMember(const Json& json, const char* key) {
  const auto member = json.find(key);
  return member != json.end() && member->is_string() ? member->get<std::string>() : "";
}

fs::path Canonical(const fs::path& directory) {
  std::error_code error;
  fs::path canonical = fs::canonical(directory, error);
  return error ? directory.lexically_normal() : canonical;
}

// Whether another directory of this instance exists at the recorded place. The same directory under
// two paths (a link, a second mount) is no other.
bool OriginalLives(const InstanceRecord& record, const std::string& instance,
                   const fs::path& directory) {
  std::error_code error;
  if (record.path.empty() || fs::equivalent(record.path, directory, error)) return false;
  const auto there = ReadInstanceRecord(record.path);
  return there && *there && (*there)->instance == instance;
}

Status GiveNewId(Database& database, const std::string& id) {
  return database.Write([&](Connection& connection) {
    return Statement(connection, "UPDATE instance SET id = :id").Bind(":id", id).Run();
  });
}

}  // namespace

Result<std::optional<InstanceRecord>> ReadInstanceRecord(const fs::path& directory) {
  const fs::path file = directory / kInstanceFile;
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Fail(Unavailable("cannot read " + file.string()));
  const auto json = ParseJson(text.str());
  if (!json || !json->is_object()) {
    return Fail(Internal(file.string() + " is damaged; put {} into it to have it made again"));
  }
  return InstanceRecord{TextMember(*json, "instance"), TextMember(*json, "machine"),
                        TextMember(*json, "path")};
}

Status WriteInstanceRecord(const fs::path& directory, const InstanceRecord& record) {
  const fs::path file = directory / kInstanceFile;
  const fs::path fresh = directory / (std::string(kInstanceFile) + ".new");
  {
    const FileDescriptor fd(
        open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return Fail(FromErrno(errno, "creating " + fresh.string()));
    const Json json = {
        {"instance", record.instance}, {"machine", record.machine}, {"path", record.path}};
    MLPROF_TRY(WriteAll(fd.get(), DumpJson(json) + "\n"));
  }
  MLPROF_TRY(SyncPath(fresh));
  return RenameDurably(fresh, file);
}

Whereabouts WhereaboutsOf(const InstanceRecord& record, const InstanceRecord& here,
                          bool original_lives) {
  const bool known = !record.machine.empty() && !here.machine.empty();
  if (known && record.machine != here.machine) return Whereabouts::kOtherMachine;
  if (record.path.empty() || record.path == here.path) return Whereabouts::kInPlace;
  return original_lives ? Whereabouts::kCopied : Whereabouts::kMoved;
}

Result<Instance> SettleInstance(Database& database, const fs::path& directory,
                                const std::string& machine) {
  MLPROF_LET(id, InstanceId(database));
  MLPROF_LET(read, ReadInstanceRecord(directory));
  const InstanceRecord record = read.value_or(InstanceRecord{});
  const InstanceRecord here{id, machine, Canonical(directory).string()};
  Instance instance{id, WhereaboutsOf(record, here, OriginalLives(record, id, directory)),
                    record.path};
  const bool shared = instance.whereabouts == Whereabouts::kCopied ||
                      instance.whereabouts == Whereabouts::kOtherMachine;
  if (shared) {
    instance.id = RandomId().substr(0, 16);
    MLPROF_TRY(GiveNewId(database, instance.id));
  }
  const InstanceRecord settled{instance.id, here.machine, here.path};
  if (settled != record) MLPROF_TRY(WriteInstanceRecord(directory, settled));
  return instance;
}

std::string MachineId() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  std::getline(file, id);
  return id == "uninitialized" ? "" : id;
}

}  // namespace mlprof::server
