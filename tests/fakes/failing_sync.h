// A disk that does not take what it is told to keep. Linked into a test program, it stands before
// fsync and fdatasync, SQLite's too.
#pragma once

#include <string>

namespace mlprof {

/// While one lives, syncing a file whose name ends like this fails (EIO).
class FailingSync {
 public:
  explicit FailingSync(std::string name_ending);
  ~FailingSync();
  FailingSync(const FailingSync&) = delete;
  FailingSync& operator=(const FailingSync&) = delete;
};

}  // namespace mlprof
