// The artifacts of profiles: files that a run, or an instrument in it, keeps beside the profile.
// Rows in the database, bytes by content in the content store. Thread-safe.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/domain/artifact.h"
#include "common/result/result.h"
#include "server/storage/page.h"

namespace mlprof::server {

class ContentStore;
class Database;

struct NewArtifact {
  std::string kind;        // what it is for, a name as below: "log"
  std::string name;        // letters, digits, '-', '_', '.'; 1 to 255; a letter or digit first
  std::string media_type;  // type/subtype, with parameters where it has some
  /// The bytes, or a file, which is copied and stays its owner's.
  std::variant<std::string, std::filesystem::path> content;
};

class ArtifactStore {
 public:
  ArtifactStore(Database& database, ContentStore& content)
      : database_(database), content_(content) {}

  /// In place of the one of that name. kInvalidArgument for a kind, a name or a media type that
  /// cannot be one; kUnavailable on a full disk. What fails leaves nothing in the store.
  Result<Artifact> Keep(const std::string& profile_id, const NewArtifact& artifact);

  /// Newest first.
  Result<Page<Artifact>> List(const std::string& profile_id, const PageRequest& page);
  /// kNotFound.
  Result<Artifact> Get(const std::string& profile_id, const std::string& id);
  /// Where its bytes lie, once they were seen to have their digest; kInternal where they do not.
  Result<std::filesystem::path> File(const Artifact& artifact);

  /// kNotFound.
  Status Remove(const std::string& profile_id, const std::string& id);
  /// All of a profile, if any.
  Status RemoveAllOf(const std::string& profile_id);
  /// After rows of artifacts went: their content goes too, where nothing else refers to it.
  void ForgetContentOf(std::span<const std::string> digests);

 private:
  Database& database_;
  ContentStore& content_;
};

}  // namespace mlprof::server
