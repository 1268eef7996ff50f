// What keeps content and database together after a start: content without a row goes into the
// quarantine and lost content is taken back from there, but only once the database has passed its
// check. All of it on a thread of its own: a start neither waits for it nor fails because of it.
// Whoever needs content before it was taken back takes it back himself (verified_tree.h).
#pragma once

#include <memory>
#include <thread>

#include "common/result/result.h"

namespace mlprof::server {

class ContentStore;
class Database;

class ContentUpkeep {
 public:
  /// Starts the thread, which logs what came of it. Both must outlive this.
  static Result<std::unique_ptr<ContentUpkeep>> Start(Database& database, ContentStore& content);
  /// Stops it where it stands.
  ~ContentUpkeep() = default;

  /// Removes from the quarantine what has been there long enough; to be called now and then.
  void Prune();

 private:
  ContentUpkeep(Database& database, ContentStore& content)
      : database_(database), content_(content) {}
  void Run(const std::stop_token& stop);
  bool FinishCheck(const std::stop_token& stop);

  Database& database_;
  ContentStore& content_;
  std::jthread thread_;  // last: it uses what stands before
};

}  // namespace mlprof::server
