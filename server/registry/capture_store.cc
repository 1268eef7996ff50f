#include "server/registry/capture_store.h"

#include <optional>
#include <vector>

#include "server/registry/content_references.h"
#include "server/registry/uncommitted_content.h"
#include "server/registry/verified_tree.h"
#include "server/storage/artifact_rows.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/statement.h"
#include "server/storage/workspaces.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCapturePrefix = "sha256:";
constexpr std::string_view kCaptureEnding = ".xplane.pb";
constexpr std::string_view kRowsEnding = ".rows.json";

std::string DigestOfCapture(const std::string& id) {
  return id.starts_with(kCapturePrefix) ? id.substr(kCapturePrefix.size()) : "";
}

Error NoSuchCapture(const std::string& id) {
  return NotFound(
      "there is no capture \"" + id +
      "\"; older ones go when newer ones need the room, and those of a profile with it");
}

Result<std::optional<Capture>> FindCapture(Connection& connection, const std::string& workspace,
                                           const std::string& id) {
  Statement row(connection, R"sql(
    SELECT size_bytes, created_unix_ms FROM captures
    WHERE workspace = :workspace AND sha256 = :sha256)sql");
  const Result<bool> found =
      row.Bind(":workspace", workspace).Bind(":sha256", DigestOfCapture(id)).Step();
  if (!found) return Fail(found.error());
  if (!*found) return std::optional<Capture>();
  return std::optional(
      Capture{id, Bytes(row.Int(0)), Timestamp(std::chrono::milliseconds(row.Int(1)))});
}

// Of the artifact that is a capture, the one that tells of its rows.
Result<std::optional<Artifact>> FindRowsOf(Connection& connection, const std::string& workspace,
                                           const std::string& sha256) {
  MLPROF_LET(capture, FindArtifactByContent(connection, workspace, kCaptureKind, sha256));
  if (!capture || !capture->name.ends_with(kCaptureEnding)) return std::optional<Artifact>();
  const std::string load = capture->name.substr(0, capture->name.size() - kCaptureEnding.size());
  return FindArtifactBeside(connection, capture->id, kCaptureRowsKind, CaptureRowsFileName(load));
}

// As the capture that it is.
Result<std::optional<Capture>> FindOfProfiles(Connection& connection, const std::string& workspace,
                                              const std::string& id) {
  MLPROF_LET(artifact,
             FindArtifactByContent(connection, workspace, kCaptureKind, DigestOfCapture(id)));
  if (!artifact) return std::optional<Capture>();
  return std::optional(Capture{id, artifact->size, artifact->created});
}

Status InsertCapture(Connection& connection, const std::string& workspace,
                     const std::string& sha256, Bytes size) {
  MLPROF_TRY(EnsureWorkspace(connection, workspace));
  return Statement(connection, R"sql(
           INSERT INTO captures (workspace, sha256, size_bytes, created_unix_ms, checksum)
           VALUES (:workspace, :sha256, :size, :now,
                   row_checksum(:workspace, :sha256, :size, :now))
           ON CONFLICT (workspace, sha256) DO NOTHING)sql")
      .Bind(":workspace", workspace)
      .Bind(":sha256", sha256)
      .Bind(":size", size.count())
      .Bind(":now", Now())
      .Run();
}

// Removes the oldest rows until the rest is within `most`; the newest stays. Their digests.
Result<std::vector<std::string>> MakeRoom(Connection& connection, Bytes most) {
  std::vector<std::pair<std::int64_t, std::string>> gone;
  {
    Statement rows(connection, R"sql(
      SELECT sequence, sha256, size_bytes FROM captures ORDER BY sequence DESC)sql");
    Bytes sum;
    bool newest = true;
    for (;;) {
      const Result<bool> row = rows.Step();
      if (!row) return Fail(row.error());
      if (!*row) break;
      sum += Bytes(rows.Int(2));
      if (!newest && sum > most) gone.emplace_back(rows.Int(0), rows.Text(1));
      newest = false;
    }
  }
  std::vector<std::string> digests;
  for (const auto& [sequence, sha256] : gone) {
    MLPROF_TRY(Statement(connection, "DELETE FROM captures WHERE sequence = :sequence")
                   .Bind(":sequence", sequence)
                   .Run());
    digests.push_back(sha256);
  }
  return digests;
}

}  // namespace

std::string CaptureFileName(std::string_view load) {
  return std::string(load) + std::string(kCaptureEnding);
}

std::string CaptureRowsFileName(std::string_view load) {
  return std::string(load) + std::string(kRowsEnding);
}

Result<Capture> CaptureStore::Keep(const std::string& workspace, const SpooledBody& trace) {
  UncommittedContent uncommitted(database_, content_, trace.sha256);
  MLPROF_TRY(content_.PutFile(*trace.file, uncommitted.claim()));
  const std::string id = std::string(kCapturePrefix) + trace.sha256;
  std::optional<Capture> kept;
  const auto gone =
      database_.Write([&](Connection& connection) -> Result<std::vector<std::string>> {
        MLPROF_TRY(InsertCapture(connection, workspace, trace.sha256, trace.size));
        MLPROF_LET(found, FindCapture(connection, workspace, id));
        kept = found;
        return MakeRoom(connection, most_);
      });
  if (!gone) return Fail(gone.error());
  uncommitted.Keep();
  ForgetContent(database_, content_, *gone);
  if (!kept) return Fail(Internal("a capture was not kept"));
  return *kept;
}

Result<Capture> CaptureStore::Get(const std::string& workspace, const std::string& id) {
  auto capture = database_.Read([&](Connection& connection) -> Result<std::optional<Capture>> {
    MLPROF_LET(handed_in, FindCapture(connection, workspace, id));
    if (handed_in) return std::move(handed_in);
    return FindOfProfiles(connection, workspace, id);
  });
  if (!capture) return Fail(capture.error());
  if (!*capture) return Fail(NoSuchCapture(id));
  return std::move(**capture);
}

Result<fs::path> CaptureStore::File(const Capture& capture) {
  const std::string sha256 = DigestOfCapture(capture.id);
  const Status intact = VerifyFile(content_, sha256, "the capture " + capture.id);
  if (!intact) return Fail(AsFault(intact.error()));
  return content_.FilePath(sha256);
}

Result<std::optional<fs::path>> CaptureStore::RowsFile(const std::string& workspace,
                                                       const Capture& capture) {
  const auto rows = database_.Read([&](Connection& connection) {
    return FindRowsOf(connection, workspace, DigestOfCapture(capture.id));
  });
  if (!rows) return Fail(rows.error());
  if (!*rows) return std::optional<fs::path>();
  const Status intact = VerifyFile(content_, (*rows)->sha256, "the rows of " + capture.id);
  if (!intact) return Fail(AsFault(intact.error()));
  return std::optional(content_.FilePath((*rows)->sha256));
}

Status CaptureStore::Remove(const std::string& workspace, const std::string& id) {
  const std::string sha256 = DigestOfCapture(id);
  MLPROF_TRY(database_.Write([&](Connection& connection) -> Status {
    MLPROF_LET(found, FindCapture(connection, workspace, id));
    if (!found) {
      MLPROF_LET(of_profile, FindOfProfiles(connection, workspace, id));
      if (!of_profile) return Fail(NoSuchCapture(id));
      return Fail(Conflict("a profile took this capture, and it goes with the profile"));
    }
    return Statement(connection, R"sql(
             DELETE FROM captures WHERE workspace = :workspace AND sha256 = :sha256)sql")
        .Bind(":workspace", workspace)
        .Bind(":sha256", sha256)
        .Run();
  }));
  ForgetContent(database_, content_, {&sha256, 1});
  return {};
}

fs::path CaptureStore::ScratchFolder() const { return content_.incoming(); }

std::shared_ptr<const fs::path> CaptureStore::ScratchFile() const {
  return {new fs::path(content_.NewIncomingPath()), [](const fs::path* file) {
            std::error_code error;
            fs::remove(*file, error);
            delete file;
          }};
}

}  // namespace mlprof::server
