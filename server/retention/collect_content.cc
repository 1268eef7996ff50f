#include "server/registry/content_references.h"
#include "server/retention/collectors.h"

namespace mlprof::server {

void CollectContent(const RetentionServices& services, const Sweep& sweep, Collection& found) {
  if (!MayGoOn(sweep, "content", found)) return;
  const auto orphans = sweep.dry_run ? FindOrphanContent(services.database, services.content)
                                     : QuarantineOrphanContent(services.database, services.content,
                                                               sweep.now, sweep.patience.stop);
  if (!orphans) {
    found.notes.push_back("content stays as it is: " + orphans.error().message());
    return;
  }
  for (const OrphanContent& orphan : *orphans) {
    found.items.push_back(
        {Holds::kContent, orphan.sha256, orphan.size, Fate::kQuarantined, "nothing refers to it"});
  }
}

}  // namespace mlprof::server
