// A disk that does not take what it is told to keep. Linked into a test program, it stands before
// fsync and fdatasync, SQLite's too.
#pragma once

#include <string>

namespace mlprof::server {

/// While one lives, syncing a file whose name ends like this fails (EIO).
class FailingSync {
 public:
  explicit FailingSync(std::string name_ending);
  ~FailingSync();
  FailingSync(const FailingSync&) = delete;
  FailingSync& operator=(const FailingSync&) = delete;
};

/// The first sync of a file or folder whose name ends like this waits until the latch is opened, at
/// the end of this at the latest. One at a time.
class HeldSync {
 public:
  explicit HeldSync(std::string name_ending);
  ~HeldSync() { Release(); }
  HeldSync(const HeldSync&) = delete;
  HeldSync& operator=(const HeldSync&) = delete;

  /// Until somebody waits here; false after 20 s.
  bool Await();
  void Release();
};

}  // namespace mlprof::server
