// The log and the events of a profile, each bounded.
#include <algorithm>

#include "server/storage/database.h"
#include "server/storage/profile_repository.h"
#include "server/storage/row_checksum.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace {

// The last of a log is what explains an end; whole logs of containers are artifacts (decision 26).
constexpr std::size_t kLogBytes = 4 << 20;
// Small appends go into one row until it has this size, so that a chatty log stays a few rows.
constexpr std::size_t kChunkBytes = 64 << 10;
// For clients that resume a stream; the text itself is in the log. Chosen, not measured.
constexpr std::int64_t kLogEventsKept = 20'000;

Status AppendChunk(Connection& connection, const std::string& profile_id, std::string_view text) {
  Statement last(connection, R"sql(
    SELECT sequence, chunk FROM profile_log_chunks
    WHERE profile_id = :profile_id AND size_bytes + :added <= :limit
      AND sequence = (SELECT max(sequence) FROM profile_log_chunks
                      WHERE profile_id = :profile_id))sql");
  const Result<bool> joins = last.Bind(":profile_id", profile_id)
                                 .Bind(":added", static_cast<std::int64_t>(text.size()))
                                 .Bind(":limit", static_cast<std::int64_t>(kChunkBytes))
                                 .Step();
  if (!joins) return Fail(joins.error());
  std::string chunk = *joins ? last.Text(1) : "";
  chunk += text;
  const auto size = static_cast<std::int64_t>(chunk.size());
  if (*joins) {
    return Statement(connection, R"sql(
             UPDATE profile_log_chunks SET chunk = :chunk, size_bytes = :size
             WHERE sequence = :sequence)sql")
        .BindBlob(":chunk", chunk)
        .Bind(":size", size)
        .Bind(":sequence", last.Int(0))
        .Run();
  }
  return Statement(connection, R"sql(
           INSERT INTO profile_log_chunks (profile_id, size_bytes, chunk)
           VALUES (:profile_id, :size, :chunk))sql")
      .Bind(":profile_id", profile_id)
      .Bind(":size", size)
      .BindBlob(":chunk", chunk)
      .Run();
}

// Drops chunks that lie wholly before the last kLogBytes.
Status DropOldChunks(Connection& connection, const std::string& profile_id) {
  return Statement(connection, R"sql(
           DELETE FROM profile_log_chunks WHERE sequence IN (
             SELECT sequence FROM (
               SELECT sequence, size_bytes,
                      sum(size_bytes) OVER (ORDER BY sequence DESC) AS bytes_from_here
               FROM profile_log_chunks WHERE profile_id = :profile_id)
             WHERE bytes_from_here - size_bytes >= :limit))sql")
      .Bind(":profile_id", profile_id)
      .Bind(":limit", static_cast<std::int64_t>(kLogBytes))
      .Run();
}

}  // namespace

Status ProfileRepository::AppendLog(const std::string& profile_id, std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > kLogBytes) text.remove_prefix(text.size() - kLogBytes);
  return database_.Write([&](Connection& connection) -> Status {
    MLPROF_TRY(AppendChunk(connection, profile_id, text));
    return DropOldChunks(connection, profile_id);
  });
}

Result<std::string> ProfileRepository::Log(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::string> {
    Statement rows(connection, R"sql(
      SELECT chunk FROM profile_log_chunks WHERE profile_id = :profile_id ORDER BY sequence)sql");
    rows.Bind(":profile_id", profile_id);
    std::string log;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) break;
      log += rows.Text(0);
    }
    if (log.size() > kLogBytes) log.erase(0, log.size() - kLogBytes);
    return log;
  });
}

Status ProfileRepository::AddEvent(const std::string& profile_id, const StoredEvent& event) {
  return database_.Write([&](Connection& connection) -> Status {
    MLPROF_TRY(Statement(connection, R"sql(
      INSERT INTO profile_events (profile_id, event_id, type, data, checksum)
      VALUES (:profile_id, :event_id, :type, :data,
              row_checksum(:profile_id, :event_id, :type, :data)))sql")
                   .Bind(":profile_id", profile_id)
                   .Bind(":event_id", event.id)
                   .Bind(":type", event.type)
                   .Bind(":data", event.data)
                   .Run());
    if (event.type != "log" || event.id <= kLogEventsKept) return {};
    return Statement(connection, R"sql(
             DELETE FROM profile_events
             WHERE profile_id = :profile_id AND event_id <= :oldest AND type = 'log')sql")
        .Bind(":profile_id", profile_id)
        .Bind(":oldest", event.id - kLogEventsKept)
        .Run();
  });
}

// A row from before there were checksums has none to compare: it must at least be JSON.
Result<std::vector<StoredEvent>> ProfileRepository::EventsAfter(const std::string& profile_id,
                                                                std::int64_t id,
                                                                const EventLimit& limit) {
  return database_.Read([&](Connection& connection) -> Result<std::vector<StoredEvent>> {
    Statement rows(connection, R"sql(
      SELECT event_id, type, data,
             coalesce(checksum = row_checksum(profile_id, event_id, type, data), json_valid(data))
      FROM profile_events
      WHERE profile_id = :profile_id AND event_id > :id ORDER BY event_id LIMIT :count)sql");
    rows.Bind(":profile_id", profile_id)
        .Bind(":id", id)
        .Bind(":count", static_cast<std::int64_t>(limit.count));
    std::vector<StoredEvent> events;
    Bytes taken;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) return events;
      if (rows.Int(3) == 0) return Fail(DamagedRow("an event of the profile " + profile_id));
      taken += Bytes(static_cast<std::int64_t>(rows.Size(2)));
      if (!events.empty() && taken > limit.bytes) return events;
      events.push_back({rows.Int(0), rows.Text(1), rows.Text(2)});
    }
  });
}

Result<std::optional<EventMark>> ProfileRepository::NewestEvent(const std::string& profile_id) {
  return database_.Read([&](Connection& connection) -> Result<std::optional<EventMark>> {
    Statement row(connection, R"sql(
      SELECT event_id, type FROM profile_events
      WHERE profile_id = :profile_id ORDER BY event_id DESC LIMIT 1)sql");
    const Result<bool> found = row.Bind(":profile_id", profile_id).Step();
    if (!found) return Fail(found.error());
    if (!*found) return std::nullopt;
    return EventMark{row.Int(0), row.Text(1)};
  });
}

}  // namespace mlprof::server
