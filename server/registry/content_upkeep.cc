#include "server/registry/content_upkeep.h"

#include <chrono>

#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "server/registry/content_references.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"

namespace mlprof::server {

Result<std::unique_ptr<ContentUpkeep>> ContentUpkeep::Start(Database& database,
                                                            ContentStore& content) {
  std::unique_ptr<ContentUpkeep> upkeep(new ContentUpkeep(database, content));
  auto thread = StartThread(
      "content-upkeep", [self = upkeep.get()](const std::stop_token& stop) { self->Run(stop); });
  if (!thread) return Fail(thread.error());
  upkeep->thread_ = std::move(*thread);
  return upkeep;
}

void ContentUpkeep::Run(const std::stop_token& stop) {
  if (!database_.checked() && !FinishCheck(stop)) return;
  const Status done = ReconcileContent(database_, content_, Now(), stop);
  if (done || stop.stop_requested()) return;
  LogError("content and database were not brought together; the next start tries again",
           {{"why", done.error().message()}});
}

// Whether it has passed.
bool ContentUpkeep::FinishCheck(const std::stop_token& stop) {
  LogInfo("the check of the database goes on in the background; until its end nothing is removed");
  const auto began = std::chrono::steady_clock::now();
  const Status checked = database_.FinishCheck(stop);
  if (stop.stop_requested()) return false;
  if (!checked) {
    LogError("the check of the database failed", {{"why", checked.error().message()}});
    return false;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  LogInfo("the database has passed its check", {{"seconds", took.count()}});
  return true;
}

void ContentUpkeep::Prune() {
  if (Status status = content_.PruneQuarantine(Now()); !status) {
    LogWarn("the quarantine was not tidied", {{"why", status.error().message()}});
  }
}

}  // namespace mlprof::server
