// Files and unpacked folders by the SHA-256 of their content, under a data directory:
//
//   content/sha256/ab/abcd…   a file
//   trees/abcd…/              an unpacked tar: directories 0755, files 0644, so that any uid can
//                             read them once they are mounted
//   incoming/                 what is not finished; emptied at start
//   quarantine/               what no row refers to, for a while (quarantine.h)
//
// The first three folders are 0700, so other users of the machine reach nothing. What is published
// is whole and on the disk. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/result/result.h"
#include "common/units/bytes.h"
#include "server/storage/known_files.h"
#include "server/storage/quarantine.h"

namespace mlprof {

class ContentStore {
 public:
  /// Makes the folders and empties incoming/. The caller holds the data directory's lock.
  static Result<std::unique_ptr<ContentStore>> Open(const std::filesystem::path& data_directory);

  /// Where uploads are to be streamed to.
  const std::filesystem::path& incoming() const { return incoming_; }
  /// A path in incoming/ nobody else uses.
  std::filesystem::path NewIncomingPath() const;

  /// Publishing and the commit of the row that refers to it happen under one lock, and so do a
  /// check for references and the removal: neither can come between the other's two steps.
  [[nodiscard]] std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }

  // Putting and removing, under the lock:
  /// Moves a file of the same file system in, in place of one that has the same digest for a name.
  Status PutFile(const std::filesystem::path& file, const std::string& sha256);
  /// Moves a finished folder in.
  Status PutTree(const std::filesystem::path& folder, const std::string& sha256);

  std::filesystem::path FilePath(const std::string& sha256) const;
  std::filesystem::path TreePath(const std::string& sha256) const;
  bool HasFile(const std::string& sha256) const;
  /// Both the file and the tree of a digest, where they exist.
  Status Remove(const std::string& sha256);
  /// The tree alone, which can be unpacked again.
  Status RemoveTree(const std::string& sha256);
  /// Every digest there is a file or a tree of, each once. What has another name is none of ours.
  Result<std::vector<std::string>> Digests() const;

  /// Which files were seen to have their digest.
  KnownFiles& known() { return known_; }

  /// Looks for a lost file in the quarantine, sees whether its digest is right, and moves it back.
  /// True where the file is there then. Takes the lock, but not while it reads. kCancelled at the
  /// stop.
  Result<bool> TakeBack(const std::string& sha256, const std::stop_token& stop);

  // Under the lock:
  /// How often a file was put in: who read meanwhile which rows there are has to read again.
  std::uint64_t puts() const { return puts_; }
  Quarantine& quarantine() { return quarantine_; }
  /// Moves the file and the tree of a digest, where they exist; how much that was.
  Result<Bytes> MoveTo(const std::filesystem::path& batch, const std::string& sha256);

 private:
  explicit ContentStore(const std::filesystem::path& data_directory);

  const std::filesystem::path files_;
  const std::filesystem::path trees_;
  const std::filesystem::path incoming_;
  Quarantine quarantine_;
  KnownFiles known_;
  std::uint64_t puts_ = 0;
  std::mutex mutex_;
};

}  // namespace mlprof
