// Files and unpacked folders by the SHA-256 of their content, under a data directory:
//
//   content/sha256/ab/abcd…   a file
//   trees/abcd…/              an unpacked tar: directories 0755, files 0644, so that any uid can
//                             read them once they are mounted
//   incoming/                 what is not finished; emptied at start
//   quarantine/               what no row refers to, for a while (quarantine.h)
//
// The first three folders are 0700, so other users of the machine reach nothing. What is published
// is whole and on the disk. Thread-safe: the lock is held for a rename or a look into the database,
// never for a disk that writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/storage/file_digest.h"
#include "server/storage/quarantine.h"

namespace mlprof::server {

class ContentClaim;

class ContentStore {
 public:
  /// Makes the folders and empties incoming/. The caller holds the data directory's lock.
  static Result<std::unique_ptr<ContentStore>> Open(const std::filesystem::path& data_directory);

  /// Where uploads are to be streamed to.
  const std::filesystem::path& incoming() const { return incoming_; }
  /// A path in incoming/ nobody else uses.
  std::filesystem::path NewIncomingPath() const;

  /// A check for claims and references, and the removal, happen under one lock: no claim can come
  /// between the two. It covers no write to the disk.
  [[nodiscard]] std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }

  // With a claim that is kept until the row is committed, and without the lock. All of these wait
  // for the disk.
  /// Moves a file of the same file system in, in place of one that has the same digest for a name.
  Status PutFile(const std::filesystem::path& file, const ContentClaim& claim);
  /// Moves a finished folder in, where there is none yet.
  Status PutTree(const std::filesystem::path& folder, const ContentClaim& claim);
  /// The same in place of one that is there.
  Status ReplaceTree(const std::filesystem::path& folder, const ContentClaim& claim);

  std::filesystem::path FilePath(const std::string& sha256) const;
  std::filesystem::path TreePath(const std::string& sha256) const;
  bool HasFile(const std::string& sha256) const;
  /// Takes only the tree of a digest away again, without the lock: unless somebody has a claim on
  /// it, or had one that ended after `ended_claims` had, and may have a row by now that needs it.
  Status RemoveTree(const std::string& sha256, std::uint64_t ended_claims);
  /// Removes what TakeOut has given, without the lock.
  Status Discard(const std::vector<std::filesystem::path>& taken_out);
  /// Every digest there is a file or a tree of, each once. What has another name is none of ours.
  Result<std::vector<std::string>> Digests() const;

  /// Which files were seen to have their digest.
  KnownFiles& known() { return known_; }

  /// Looks for a lost file in the quarantine, sees whether its digest is right, and moves it back.
  /// True where the file is there then. Takes the lock, but not while it reads. kCancelled at the
  /// stop.
  Result<bool> TakeBack(const std::string& sha256, const std::stop_token& stop);

  /// Removes what the quarantine has kept long enough (quarantine.h). Takes the lock, but not while
  /// it reads or deletes.
  Status PruneQuarantine(Timestamp now, const QuarantineLimits& limits = {});

  // Under the lock:
  /// Whether a row that refers to it is about to come.
  bool IsClaimed(const std::string& sha256) const { return claims_.contains(sha256); }
  /// How many claims have ended: who read before that which rows there are has to read again.
  std::uint64_t ended_claims() const { return ended_claims_; }
  Quarantine& quarantine() { return quarantine_; }
  /// Moves the file and the tree of a digest, where they exist; how much that was.
  Result<Bytes> MoveTo(const std::filesystem::path& batch, const std::string& sha256);
  /// Takes the file and the tree of a digest out of their names, where they exist; into incoming/.
  Result<std::vector<std::filesystem::path>> TakeOut(const std::string& sha256);

 private:
  friend class ContentClaim;
  explicit ContentStore(const std::filesystem::path& data_directory);

  const std::filesystem::path files_;
  const std::filesystem::path trees_;
  const std::filesystem::path incoming_;
  Quarantine quarantine_;
  KnownFiles known_;
  std::multiset<std::string> claims_;
  std::uint64_t ended_claims_ = 0;
  std::mutex mutex_;
};

/// While one lives, nobody removes the content of its digest, although no row may refer to it yet.
/// Who publishes holds one from before the first step until the row is committed. Many may claim
/// the same digest.
class ContentClaim {
 public:
  ContentClaim(ContentStore& store, std::string sha256);
  ~ContentClaim();
  ContentClaim(const ContentClaim&) = delete;
  ContentClaim& operator=(const ContentClaim&) = delete;

  const std::string& sha256() const { return sha256_; }

 private:
  ContentStore& store_;
  const std::string sha256_;
};

}  // namespace mlprof::server
