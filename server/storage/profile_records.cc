// The trials and rows a profile leaves.
#include "common/json/domain_json.h"
#include "server/storage/artifact_rows.h"
#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/row_checksum.h"
#include "server/storage/sample_codec.h"
#include "server/storage/statement.h"

namespace mlprof::server {

// Version 0.1 also stored each latency of a trial (latencies_us). Nothing read them: what is
// told of them is in the document. The column stays, empty, for those rows and their checksums.
Status ProfileRepository::AddTrial(const std::string& profile_id, const Trial& trial) {
  const std::string document = DumpJson(EncodeTrial(trial));
  return database_.Write([&](Connection& connection) {
    return Statement(connection, R"sql(
             INSERT INTO profile_trials (profile_id, number, document, latencies_us, checksum)
             VALUES (:profile_id, :number, :document, x'',
                     row_checksum(:profile_id, :number, :document, x'')))sql")
        .Bind(":profile_id", profile_id)
        .Bind(":number", trial.number)
        .Bind(":document", document)
        .Run();
  });
}

Result<std::vector<Trial>> ProfileRepository::Trials(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::vector<Trial>> {
    Statement rows(connection, R"sql(
      SELECT document, checksum = row_checksum(profile_id, number, document, latencies_us)
                         OR checksum IS NULL
      FROM profile_trials WHERE profile_id = :profile_id ORDER BY number)sql");
    rows.Bind(":profile_id", profile_id);
    std::vector<Trial> trials;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) return trials;
      if (rows.Int(1) == 0) return Fail(DamagedRow("a trial of the profile " + profile_id));
      const auto json = ParseJson(rows.Text(0));
      if (!json) return Fail(Internal("a stored trial: " + json.error().message()));
      auto trial = DecodeTrial(*json);
      if (!trial) return Fail(Internal("a stored trial: " + trial.error().message()));
      trials.push_back(std::move(*trial));
    }
  });
}

Status ProfileRepository::SaveRows(const std::string& profile_id, std::span<const RowRecord> rows) {
  const std::string blob = EncodeRowRecords(rows);
  return database_.Write([&](Connection& connection) {
    return Statement(connection, R"sql(
             INSERT INTO profile_rows (profile_id, row_count, row_records, checksum)
             VALUES (:profile_id, :count, :row_records,
                     row_checksum(:profile_id, :count, :row_records))
             ON CONFLICT (profile_id) DO UPDATE
             SET row_count = excluded.row_count, row_records = excluded.row_records,
                 checksum = excluded.checksum)sql")
        .Bind(":profile_id", profile_id)
        .Bind(":count", static_cast<std::int64_t>(rows.size()))
        .BindBlob(":row_records", blob)
        .Run();
  });
}

Result<std::vector<RowRecord>> ProfileRepository::Rows(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::vector<RowRecord>> {
    Statement row(connection, R"sql(
      SELECT row_records, checksum = row_checksum(profile_id, row_count, row_records)
                            OR checksum IS NULL
      FROM profile_rows WHERE profile_id = :profile_id)sql");
    const Result<bool> found = row.Bind(":profile_id", profile_id).Step();
    if (!found) return Fail(found.error());
    if (!*found) return std::vector<RowRecord>{};
    if (row.Int(1) == 0) return Fail(DamagedRow("the rows of the profile " + profile_id));
    return DecodeRowRecords(row.Text(0));
  });
}

Result<std::vector<std::string>> ProfileRepository::ClearMeasured(const std::string& profile_id) {
  return database_.Write([&](Connection& connection) -> Result<std::vector<std::string>> {
    for (const char* sql : {"DELETE FROM profile_phases WHERE profile_id = :profile_id",
                            "DELETE FROM profile_trials WHERE profile_id = :profile_id",
                            "DELETE FROM profile_series WHERE profile_id = :profile_id",
                            "DELETE FROM profile_sample_batches WHERE profile_id = :profile_id",
                            "DELETE FROM profile_rows WHERE profile_id = :profile_id",
                            "DELETE FROM profile_log_chunks WHERE profile_id = :profile_id"}) {
      MLPROF_TRY(Statement(connection, sql).Bind(":profile_id", profile_id).Run());
    }
    return DeleteArtifactsOf(connection, profile_id);
  });
}

}  // namespace mlprof::server
