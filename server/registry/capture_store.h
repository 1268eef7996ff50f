// Device traces, by content: "sha256:…" is the same trace, whoever hands it in. Rows in the
// database, bytes in the content store. Those that a profile took are its artifacts, and are found
// here too, as long as the profile is there. Thread-safe.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/message.h"
#include "common/result/result.h"
#include "common/time/timestamp.h"
#include "common/units/bytes.h"

namespace mlprof::server {

class ContentStore;
class Database;

/// The kind of the artifacts of a profile that are captures.
inline constexpr const char* kCaptureKind = "capture";
/// And of those that say when its rows were under way, each beside its capture.
inline constexpr const char* kCaptureRowsKind = "captureRows";

/// "alone.xplane.pb" and "alone.rows.json", of "alone".
std::string CaptureFileName(std::string_view load);
std::string CaptureRowsFileName(std::string_view load);

struct Capture {
  std::string id;
  Bytes size;
  Timestamp created;
};

class CaptureStore {
 public:
  /// `most`: of what was handed in, in all workspaces together; what is beyond it goes, the oldest
  /// first.
  CaptureStore(Database& database, ContentStore& content, Bytes most = GiB(8))
      : database_(database), content_(content), most_(most) {}

  /// Keeps the trace, whose content was looked at before. The same content changes nothing.
  Result<Capture> Keep(const std::string& workspace, const SpooledBody& trace);
  /// kNotFound, for one that had to make room too.
  Result<Capture> Get(const std::string& workspace, const std::string& id);
  /// Where its bytes lie, once they were seen to have their digest; kInternal where they do not.
  Result<std::filesystem::path> File(const Capture& capture);
  /// Of one that a profile took, where its rows are told; nullopt for any other.
  Result<std::optional<std::filesystem::path>> RowsFile(const std::string& workspace,
                                                        const Capture& capture);
  /// kNotFound; kConflict for one that a profile took, which goes with the profile.
  Status Remove(const std::string& workspace, const std::string& id);

  /// For files that are to be kept: on the same disk as those that are.
  std::filesystem::path ScratchFolder() const;
  /// A file nobody else uses, which goes with the last copy of the pointer.
  std::shared_ptr<const std::filesystem::path> ScratchFile() const;

 private:
  Database& database_;
  ContentStore& content_;
  const Bytes most_;
};

}  // namespace mlprof::server
