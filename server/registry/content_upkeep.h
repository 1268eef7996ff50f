// What keeps content and database together after a start: content without a row goes into the
// quarantine and lost content is taken back from there, but only once the database has passed its
// check, which a large one does on a thread of its own.
#pragma once

#include <memory>
#include <thread>

#include "common/result/result.h"

namespace mlprof {

class ContentStore;
class Database;

class ContentUpkeep {
 public:
  /// At once where the database is checked; else a thread finishes the check, and logs what came of
  /// it. Both must outlive this.
  static Result<std::unique_ptr<ContentUpkeep>> Start(Database& database, ContentStore& content);
  /// Stops the check where it stands.
  ~ContentUpkeep() = default;

  /// Removes from the quarantine what has been there long enough; to be called now and then.
  void Prune();

 private:
  ContentUpkeep(Database& database, ContentStore& content)
      : database_(database), content_(content) {}
  void FinishCheck(const std::stop_token& stop);

  Database& database_;
  ContentStore& content_;
  std::jthread check_;  // last: it uses what stands before
};

}  // namespace mlprof
