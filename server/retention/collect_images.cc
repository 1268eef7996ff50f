#include "server/metrics/controller_metrics.h"
#include "server/registry/byte_source.h"
#include "server/retention/collectors.h"
#include "server/runtime/runtime.h"
#include "server/runtime/unpacked_content.h"
#include "server/storage/content_store.h"
#include "server/storage/file_digest.h"

namespace mlprof::server {
namespace {

// A list is answered in milliseconds. Removing an image takes a call for each of its names, and
// Docker may work at the files of a large one for a minute (server/runtime/docker/kept_images.cc).
constexpr std::chrono::seconds kListLimit{10};
constexpr std::chrono::minutes kRemoveLimit{2};

// The source as it is unpacked; null where the text is no id of one.
std::shared_ptr<const ContentReader> SourceOf(const ContentStore& content,
                                              const std::string& source_id) {
  const std::string sha256 = source_id.substr(source_id.find(':') + 1);
  if (!IsDigest(sha256)) return nullptr;
  return std::make_shared<UnpackedContent>(
      "the source", content.TreePath(sha256),
      [archive = content.FilePath(sha256)] { return FileSource::Open(archive); });
}

// What profiles that wait or run may prepare any moment.
Result<std::vector<PrepareRequest>> Waiting(const RetentionServices& services) {
  MLPROF_LET(profiles, services.profiles.Queued());
  const auto running = services.profiles.Interrupted();  // those whose state says that they run
  if (!running) return Fail(running.error());
  profiles.insert(profiles.end(), running->begin(), running->end());
  std::vector<PrepareRequest> waiting;
  for (const Profile& profile : profiles) {
    const auto& config = profile.request.inference_config;
    if (!config || !config->IsEntryScript()) continue;
    const auto& script = std::get<EntryScriptConfig>(config->service);
    waiting.push_back({*config, SourceOf(services.content, script.source_id)});
  }
  return waiting;
}

Result<std::vector<KeptImage>> List(const RetentionServices& services, const Sweep& sweep) {
  MLPROF_LET(waiting, Waiting(services));
  return services.runtime.KeptImages(waiting, sweep.patience.deadline.AtMost(kListLimit),
                                     sweep.patience.stop);
}

std::vector<Holding> Holdings(const std::vector<KeptImage>& images) {
  std::vector<Holding> holdings;
  for (const KeptImage& image : images) {
    holdings.push_back({image.id, image.size, image.last_used, image.needed});
  }
  return holdings;
}

Status Remove(const RetentionServices& services, const Sweep& sweep, const Holding& image) {
  if (sweep.dry_run) return {};
  return services.runtime.RemoveImage({image.id, image.size, image.last_used, image.needed},
                                      sweep.patience.deadline.AtMost(kRemoveLimit),
                                      sweep.patience.stop);
}

}  // namespace

void CollectImages(const RetentionServices& services, const RetentionLimits& limits,
                   const Sweep& sweep, Collection& found) {
  const auto images = List(services, sweep);
  if (!images) {
    found.notes.push_back("images stay as they are: " + images.error().message());
    return;
  }
  Bytes stored;
  for (const KeptImage& image : *images) stored += image.size;
  for (Leaving& leaving : ChooseLeaving(Holdings(*images), limits, sweep.now)) {
    if (!MayGoOn(sweep, "images", found)) break;
    const Holding& image = leaving.what;
    if (const Status removed = Remove(services, sweep, image); !removed) {
      found.notes.push_back("the image " + image.id + " stays: " + removed.error().message());
      continue;
    }
    stored = stored - image.size;
    found.items.push_back(
        {Holds::kImage, image.id, image.size, Fate::kRemoved, std::move(leaving.why)});
  }
  if (!sweep.dry_run) services.metrics.SetStoredBytes("images", stored);
}

}  // namespace mlprof::server
