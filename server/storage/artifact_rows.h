// The artifacts of profiles as rows; their bytes are files of the content store, which whoever
// removes rows has to tidy (server/registry/content_references.h). Every call is part of the
// caller's transaction, which is a write transaction where something changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/domain/artifact.h"
#include "common/result/result.h"
#include "server/storage/page.h"
#include "server/storage/statement.h"

namespace mlprof::server {

/// In place of the one of that name; gives the digest of that one, if there was one.
Result<std::optional<std::string>> SaveArtifact(Connection& connection,
                                                const std::string& profile_id,
                                                const Artifact& artifact);
Result<std::optional<Artifact>> FindArtifact(Connection& connection, const std::string& profile_id,
                                             const std::string& id);
/// The newest of that kind and content of the workspace's profiles.
Result<std::optional<Artifact>> FindArtifactByContent(Connection& connection,
                                                      const std::string& workspace,
                                                      const std::string& kind,
                                                      const std::string& sha256);
/// The one of that kind and name in the profile of that artifact.
Result<std::optional<Artifact>> FindArtifactBeside(Connection& connection,
                                                   const std::string& artifact_id,
                                                   const std::string& kind,
                                                   const std::string& name);
/// Newest first.
Result<Page<Artifact>> ListArtifacts(Connection& connection, const std::string& profile_id,
                                     const PageRequest& page);
/// The digest of what was removed; nothing where there is no such artifact.
Result<std::optional<std::string>> DeleteArtifact(Connection& connection,
                                                  const std::string& profile_id,
                                                  const std::string& id);
/// All of a profile; the digests of what was removed.
Result<std::vector<std::string>> DeleteArtifactsOf(Connection& connection,
                                                   const std::string& profile_id);

}  // namespace mlprof::server
