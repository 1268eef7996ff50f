// Sources: folders with an entry script and what belongs to it, by content. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "common/http/message.h"
#include "common/result/result.h"
#include "server/registry/verified_tree.h"
#include "server/storage/idempotency_keys.h"

namespace mlprof::server {

class SourceRegistry;

/// A source that somebody registered for something that may yet fail. Takes the source back when it
/// goes, unless Keep() was called: an exception takes it back too. One that was there before, or
/// that somebody else registered or uses meanwhile, stays. The registry must outlive it.
class TentativeSource {
 public:
  /// `ticket` is the registry's; 0 for a source that was there before.
  TentativeSource(SourceRegistry& registry, std::string workspace, std::string id,
                  std::uint64_t ticket)
      : registry_(&registry),
        workspace_(std::move(workspace)),
        id_(std::move(id)),
        ticket_(ticket) {}
  ~TentativeSource();
  TentativeSource(TentativeSource&& other) noexcept
      : registry_(other.registry_),
        workspace_(std::move(other.workspace_)),
        id_(std::move(other.id_)),
        ticket_(std::exchange(other.ticket_, 0)) {}
  TentativeSource& operator=(TentativeSource&&) = delete;

  const std::string& id() const { return id_; }
  /// What it was for is there.
  void Keep();

 private:
  SourceRegistry* registry_;
  std::string workspace_;
  std::string id_;
  std::uint64_t ticket_;
};

class Database;
class ContentStore;
class StagedArchive;

class SourceRegistry {
 public:
  SourceRegistry(Database& database, ContentStore& content);

  /// "sha256:…" of the tar, uncompressed; the same content gives the same id.
  /// kKeyReused where the key was used for another request.
  Result<std::string> Register(const std::string& workspace, const SpooledBody& tar,
                               const IdempotencyKey& key = {});
  /// The same for what has to succeed with the source: unless it is kept, a source that was not
  /// there before goes again, if nobody else registered or uses it meanwhile.
  Result<TentativeSource> RegisterTentatively(const std::string& workspace, const SpooledBody& tar);
  Result<bool> Exists(const std::string& workspace, const std::string& id);
  /// kNotFound; kConflict while a profile that is not finished, or the inference config of a model,
  /// names it.
  Status Delete(const std::string& workspace, const std::string& id);
  /// The tar and the unpacked folder, compared with what was registered (verified_tree.h); for
  /// containers. kNotFound for an unknown id too.
  Result<VerifiedContent> Verified(const std::string& workspace, const std::string& id,
                                   const std::stop_token& stop);

 private:
  friend class TentativeSource;
  struct Registered {
    std::string id;
    bool is_new = false;
  };
  using Place = std::pair<std::string, std::string>;  // workspace and id

  void TakeBack(const Place& place, std::uint64_t ticket);
  /// Nobody takes it back any more.
  void Settle(const Place& place);
  /// Without the mutex: a large tree takes a disk long to let go.
  void ForgetContentOf(const std::string& id);
  // With the mutex held, so that nobody takes back what somebody else registers meanwhile:
  Result<Registered> Insert(const std::string& workspace, const StagedArchive& archive,
                            const IdempotencyKey& key);
  Status RemoveRow(const Place& place);

  Database& database_;
  ContentStore& content_;
  std::mutex mutex_;
  // Those that may still be taken back, and by whom.
  std::map<Place, std::uint64_t> tentative_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace mlprof::server
