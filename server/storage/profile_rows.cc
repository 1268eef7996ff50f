#include "server/storage/profile_rows.h"

#include "server/storage/profile_document.h"
#include "server/storage/row_checksum.h"

namespace mlprof::server {

Result<Profile> ReadProfileRow(const Statement& row) {
  const std::string id = row.Text(1);
  if (row.Int(4) == 0) return Fail(DamagedRow("the profile " + id));
  auto profile = ReadProfileDocument(row.Text(0));
  if (!profile)
    return Fail(Internal("the stored profile " + id + ": " + profile.error().message()));
  const auto state = ParseProfileState(row.Text(3));
  if (!state) return Fail(Internal("the stored profile " + id + " has no known state"));
  profile->id = id;
  profile->workspace = row.Text(2);
  profile->state = *state;
  return profile;
}

Result<std::optional<Profile>> FindProfile(Connection& connection, const std::string& workspace,
                                           const std::string& name_or_id) {
  Statement row(connection, R"sql(
    SELECT document, id, workspace, state,
           checksum = row_checksum(id, workspace, name, state, dataset_id, created_unix_ms, document)
    FROM profiles
    WHERE workspace = :workspace AND (id = :key OR name = :key)
    ORDER BY id = :key DESC, sequence DESC LIMIT 1)sql");
  const Result<bool> found = row.Bind(":workspace", workspace).Bind(":key", name_or_id).Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::nullopt;
  MLPROF_LET(profile, ReadProfileRow(row));
  return std::move(profile);
}

Error NoSuchProfile(const std::string& name_or_id) {
  return NotFound("there is no profile \"" + name_or_id + "\"");
}

}  // namespace mlprof::server
