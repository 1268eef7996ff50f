// What finished profiles take.
#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

Result<std::int64_t> OneNumber(Connection& connection, const char* sql,
                               const std::string& profile_id) {
  Statement row(connection, sql);
  const Result<bool> found = row.Bind(":profile_id", profile_id).Step();
  if (!found) return Fail(found.error());
  return *found ? row.Int(0) : 0;
}

}  // namespace

// The length of a blob is read without the blob.
Result<std::vector<FinishedProfile>> ProfileRepository::Finished() {
  return database_.Read([](Connection& connection) -> Result<std::vector<FinishedProfile>> {
    Statement rows(connection, R"sql(
      SELECT p.id, p.workspace, p.name,
             coalesce((SELECT max(finished_unix_ms) FROM profile_phases
                       WHERE profile_id = p.id), p.created_unix_ms) AS finished,
             coalesce(s.size, 0), coalesce(s.measured, 0), coalesce(s.kept, 0),
             coalesce(s.largest, 0), coalesce(s.parts, 0)
      FROM profiles AS p NOT INDEXED
        LEFT JOIN (SELECT profile_id, sum(size) AS size, sum(measured) AS measured,
                          sum(kept) AS kept, max(kept) AS largest, max(parts) AS parts
                   FROM (SELECT profile_id, sum(length(points)) AS size,
                                sum(measured_count) AS measured, sum(point_count) AS kept,
                                count(*) AS parts
                         FROM profile_series GROUP BY profile_id, name
                         UNION ALL
                         SELECT profile_id, sum(length(samples)), sum(sample_count),
                                sum(sample_count), count(*)
                         FROM profile_sample_batches GROUP BY profile_id)
                   GROUP BY profile_id) AS s ON s.profile_id = p.id
      WHERE p.state IN ('Succeeded', 'Failed', 'Canceled', 'TimedOut')
      ORDER BY finished)sql");
    std::vector<FinishedProfile> profiles;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) return profiles;
      profiles.push_back({rows.Text(0),
                          rows.Text(1),
                          rows.Text(2),
                          rows.Time(3),
                          Bytes(rows.Int(4)),
                          {rows.Int(5), rows.Int(6)},
                          rows.Int(7),
                          rows.Int(8)});
    }
  });
}

// Only trials that version 0.1 stored have latencies.
Result<Bytes> ProfileRepository::SizeOf(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<Bytes> {
    MLPROF_LET(size, OneNumber(connection, R"sql(
      SELECT coalesce((SELECT sum(length(document)) FROM profiles WHERE id = :profile_id), 0)
        + coalesce((SELECT sum(length(document) + length(latencies_us)) FROM profile_trials
                    WHERE profile_id = :profile_id), 0)
        + coalesce((SELECT sum(length(samples)) FROM profile_sample_batches
                    WHERE profile_id = :profile_id), 0)
        + coalesce((SELECT sum(length(points)) FROM profile_series
                    WHERE profile_id = :profile_id), 0)
        + coalesce((SELECT sum(length(row_records)) FROM profile_rows
                    WHERE profile_id = :profile_id), 0)
        + coalesce((SELECT sum(size_bytes) FROM profile_log_chunks
                    WHERE profile_id = :profile_id), 0)
        + coalesce((SELECT sum(length(data)) FROM profile_events
                    WHERE profile_id = :profile_id), 0))sql",
                               profile_id));
    return Bytes(size);
  });
}

}  // namespace mlprof::server
