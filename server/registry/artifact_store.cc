#include "server/registry/artifact_store.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "server/registry/content_references.h"
#include "server/registry/uncommitted_content.h"
#include "server/registry/verified_tree.h"
#include "server/storage/artifact_rows.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"
#include "server/storage/durable_file.h"
#include "server/storage/file_digest.h"
#include "server/storage/names.h"
#include "server/storage/random_id.h"

namespace mlprof::server {
namespace {

namespace fs = std::filesystem;

// Two names of up to 127 characters each (RFC 6838) with a slash.
constexpr std::size_t kLongestMediaType = 255;

Error NoSuchArtifact(const std::string& id) {
  return NotFound("there is no artifact \"" + id + "\" of this profile");
}

// It becomes the header Content-Type of a response, which control characters would break open.
bool IsMediaType(const std::string& text) {
  const std::size_t slash = text.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
         text.size() <= kLongestMediaType &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

Status Check(const NewArtifact& artifact) {
  if (!IsValidName(artifact.kind))
    return Fail(InvalidArgument("the artifact's kind cannot be one"));
  if (!IsValidName(artifact.name))
    return Fail(InvalidArgument("the artifact's name cannot be one"));
  if (IsMediaType(artifact.media_type)) return {};
  return Fail(InvalidArgument("the artifact's media type cannot be one"));
}

Status WriteNew(const fs::path& file, std::string_view bytes) {
  const FileDescriptor descriptor(
      open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!descriptor) return Fail(FromErrno(errno, "creating " + file.string()));
  return WriteAll(descriptor.get(), bytes);
}

// Copied, not linked: through a hard link the file's owner could change what is stored.
Status CopyNew(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) return Fail(FromErrno(error.value(), "copying " + from.string()));
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
  if (error) return Fail(FromErrno(error.value(), "chmod " + to.string()));
  return {};
}

Status Stage(const NewArtifact& artifact, const fs::path& staged) {
  if (const auto* bytes = std::get_if<std::string>(&artifact.content)) {
    return WriteNew(staged, *bytes);
  }
  return CopyNew(std::get<fs::path>(artifact.content), staged);
}

}  // namespace

Result<Artifact> ArtifactStore::Keep(const std::string& profile_id, const NewArtifact& artifact) {
  MLPROF_TRY(Check(artifact));
  const RemovedAtEnd staged(content_.NewIncomingPath());
  MLPROF_TRY(Stage(artifact, staged.path()));
  MLPROF_LET(digest, FileDigest(staged.path()));
  std::error_code error;
  const auto size = fs::file_size(staged.path(), error);
  if (error) return Fail(FromErrno(error.value(), "the size of " + staged.path().string()));
  const Artifact kept{RandomId(),
                      artifact.kind,
                      artifact.name,
                      artifact.media_type,
                      Bytes(static_cast<std::int64_t>(size)),
                      std::move(digest),
                      Now()};
  UncommittedContent uncommitted(database_, content_, kept.sha256);
  MLPROF_TRY(content_.PutFile(staged.path(), uncommitted.claim()));
  const auto replaced = database_.Write(
      [&](Connection& connection) { return SaveArtifact(connection, profile_id, kept); });
  if (!replaced) return Fail(replaced.error());
  uncommitted.Keep();
  if (*replaced) ForgetContentOf({&**replaced, 1});
  return kept;
}

Result<Page<Artifact>> ArtifactStore::List(const std::string& profile_id, const PageRequest& page) {
  return database_.Read(
      [&](Connection& connection) { return ListArtifacts(connection, profile_id, page); });
}

Result<Artifact> ArtifactStore::Get(const std::string& profile_id, const std::string& id) {
  auto artifact = database_.Read(
      [&](Connection& connection) { return FindArtifact(connection, profile_id, id); });
  if (!artifact) return Fail(artifact.error());
  if (!*artifact) return Fail(NoSuchArtifact(id));
  return std::move(**artifact);
}

Result<fs::path> ArtifactStore::File(const Artifact& artifact) {
  const std::string owner = "the artifact " + artifact.name;
  const Status intact = VerifyFile(content_, artifact.sha256, owner);
  if (intact) return content_.FilePath(artifact.sha256);
  const ErrorCode code = intact.error().code();
  if (code != ErrorCode::kNotFound && code != ErrorCode::kConflict) return Fail(intact.error());
  return Fail(Internal("the stored file of " + owner + " is missing or damaged; restore the data " +
                       "directory from a backup, or delete the artifact"));
}

Status ArtifactStore::Remove(const std::string& profile_id, const std::string& id) {
  const auto digest = database_.Write(
      [&](Connection& connection) { return DeleteArtifact(connection, profile_id, id); });
  if (!digest) return Fail(digest.error());
  if (!*digest) return Fail(NoSuchArtifact(id));
  ForgetContentOf({&**digest, 1});
  return {};
}

Status ArtifactStore::RemoveAllOf(const std::string& profile_id) {
  const auto digests = database_.Write(
      [&](Connection& connection) { return DeleteArtifactsOf(connection, profile_id); });
  if (!digests) return Fail(digests.error());
  ForgetContentOf(*digests);
  return {};
}

void ArtifactStore::ForgetContentOf(std::span<const std::string> digests) {
  ForgetContent(database_, content_, digests);
}

}  // namespace mlprof::server
