#include "server/registry/content_upkeep.h"

#include <chrono>

#include "common/log/log.h"
#include "common/os/start_thread.h"
#include "server/registry/content_references.h"
#include "server/storage/content_store.h"
#include "server/storage/database.h"

namespace mlprof {

Result<std::unique_ptr<ContentUpkeep>> ContentUpkeep::Start(Database& database,
                                                            ContentStore& content) {
  std::unique_ptr<ContentUpkeep> upkeep(new ContentUpkeep(database, content));
  if (database.checked()) {
    MLPROF_TRY(ReconcileContent(database, content, Now()));
    return upkeep;
  }
  LogInfo("the check of the database goes on in the background; until its end nothing is removed");
  auto check = StartThread("integrity-check", [self = upkeep.get()](const std::stop_token& stop) {
    self->FinishCheck(stop);
  });
  if (!check) return Fail(check.error());
  upkeep->check_ = std::move(*check);
  return upkeep;
}

void ContentUpkeep::FinishCheck(const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  const Status checked = database_.FinishCheck(stop);
  if (stop.stop_requested()) return;
  if (!checked) {
    LogError("the check of the database failed", {{"why", checked.error().message()}});
    return;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  LogInfo("the database has passed its check", {{"seconds", took.count()}});
  if (Status status = ReconcileContent(database_, content_, Now()); !status) {
    LogError("content was not looked through", {{"why", status.error().message()}});
  }
}

void ContentUpkeep::Prune() {
  const auto lock = content_.Lock();
  if (Status status = content_.quarantine().Prune(Now()); !status) {
    LogWarn("the quarantine was not tidied", {{"why", status.error().message()}});
  }
}

}  // namespace mlprof
