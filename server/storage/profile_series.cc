// What was read of a profile's containers over time.
#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/profile_rows.h"
#include "server/storage/row_checksum.h"
#include "server/storage/sample_codec.h"
#include "server/storage/series_codec.h"
#include "server/storage/statement.h"

namespace mlprof::server {

namespace {

Status Insert(Connection& connection, const std::string& profile_id, const Series& series,
              std::size_t measured) {
  const std::string points = EncodePoints(series.points);
  return Statement(connection, R"sql(
           INSERT INTO profile_series (profile_id, name, unit, source, measured_count, point_count,
                                       points, checksum)
           VALUES (:profile_id, :name, :unit, :source, :measured, :count, :points,
                   row_checksum(:profile_id, :name, :unit, :source, :measured, :count, :points)))sql")
      .Bind(":profile_id", profile_id)
      .Bind(":name", series.name)
      .Bind(":unit", series.unit)
      .Bind(":source", series.source)
      .Bind(":measured", static_cast<std::int64_t>(measured))
      .Bind(":count", static_cast<std::int64_t>(series.points.size()))
      .BindBlob(":points", points)
      .Run();
}

struct Part {
  Series series;
  std::size_t measured = 0;
};

Result<std::vector<Part>> ReadParts(Connection& connection, const std::string& profile_id) {
  Statement rows(connection, R"sql(
    SELECT name, unit, source, points,
           checksum = row_checksum(profile_id, name, unit, source, measured_count, point_count,
                                   points),
           measured_count
    FROM profile_series WHERE profile_id = :profile_id ORDER BY sequence)sql");
  rows.Bind(":profile_id", profile_id);
  std::vector<Part> parts;
  for (;;) {
    const Result<bool> row = rows.Step();
    if (!row) return Fail(row.error());
    if (!*row) return parts;
    if (rows.Int(4) == 0) return Fail(DamagedRow("a series of the profile " + profile_id));
    MLPROF_LET(points, DecodePoints(rows.Text(3)));
    parts.push_back({{rows.Text(0), rows.Text(1), rows.Text(2), std::move(points)},
                     static_cast<std::size_t>(rows.Int(5))});
  }
}

// Only the series of a finished profile may be thinned: one that runs still adds points.
Status CheckFinished(Connection& connection, const std::string& profile_id) {
  Statement row(connection, R"sql(
    SELECT state IN ('Succeeded', 'Failed', 'Canceled', 'TimedOut'),
           checksum = row_checksum(id, workspace, name, state, dataset_id, created_unix_ms,
                                   document)
    FROM profiles WHERE id = :profile_id)sql");
  const Result<bool> found = row.Bind(":profile_id", profile_id).Step();
  if (!found) return Fail(found.error());
  if (!*found) return Fail(NoSuchProfile(profile_id));
  if (row.Int(1) == 0) return Fail(DamagedRow("the profile " + profile_id));
  if (row.Int(0) == 0) return Fail(Conflict("the profile " + profile_id + " is not finished"));
  return {};
}

}  // namespace

Status ProfileRepository::AddSeries(const std::string& profile_id, std::span<const Series> all) {
  if (all.empty()) return {};
  return database_.Write([&](Connection& connection) -> Status {
    for (const Series& series : all) {
      MLPROF_TRY(Insert(connection, profile_id, series, series.points.size()));
    }
    return {};
  });
}

Result<std::vector<Series>> ProfileRepository::SeriesParts(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::vector<Series>> {
    MLPROF_LET(parts, ReadParts(connection, profile_id));
    std::vector<Series> all;
    all.reserve(parts.size());
    for (Part& part : parts) all.push_back(std::move(part.series));
    return all;
  });
}

Result<PointCount> ProfileRepository::CountPoints(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<PointCount> {
    Statement row(connection, R"sql(
      SELECT coalesce(sum(measured_count), 0), coalesce(sum(point_count), 0)
      FROM (SELECT measured_count, point_count FROM profile_series
            WHERE profile_id = :profile_id
            UNION ALL
            SELECT sample_count, sample_count FROM profile_sample_batches
            WHERE profile_id = :profile_id))sql");
    const Result<bool> found = row.Bind(":profile_id", profile_id).Step();
    if (!found) return Fail(found.error());
    return PointCount{row.Int(0), row.Int(1)};
  });
}

Status ProfileRepository::ThinSeries(
    const std::string& profile_id, std::span<const Series> former,
    const std::function<std::vector<SeriesPoint>(const Series&)>& thin) {
  return database_.Write([&](Connection& connection) -> Status {
    MLPROF_TRY(CheckFinished(connection, profile_id));
    MLPROF_LET(parts, ReadParts(connection, profile_id));
    for (const Series& made : former) parts.push_back({made, made.points.size()});
    for (const char* table :
         {"DELETE FROM profile_series WHERE profile_id = :profile_id",
          "DELETE FROM profile_sample_batches WHERE profile_id = :profile_id"}) {
      MLPROF_TRY(Statement(connection, table).Bind(":profile_id", profile_id).Run());
    }
    for (Part& part : parts) {
      part.series.points = thin(part.series);
      MLPROF_TRY(Insert(connection, profile_id, part.series, part.measured));
    }
    return {};
  });
}

Result<std::vector<Sample>> ProfileRepository::FormerSamples(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::vector<Sample>> {
    Statement rows(connection, R"sql(
      SELECT samples, checksum = row_checksum(profile_id, sample_count, samples)
                        OR checksum IS NULL
      FROM profile_sample_batches
      WHERE profile_id = :profile_id ORDER BY sequence)sql");
    rows.Bind(":profile_id", profile_id);
    std::vector<Sample> samples;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) return samples;
      if (rows.Int(1) == 0) return Fail(DamagedRow("samples of the profile " + profile_id));
      MLPROF_TRY(DecodeSamples(rows.Text(0), samples));
    }
  });
}

}  // namespace mlprof::server
