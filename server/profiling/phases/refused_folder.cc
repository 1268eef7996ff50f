#include "server/profiling/phases/refused_folder.h"

#include <algorithm>
#include <utility>

#include "common/json/field_checks.h"

namespace mlprof::server::phases {
namespace {

// Each takes two more starts, and a program that begins with more of them is better told.
constexpr std::size_t kMostFolders = 4;
constexpr const char* kWriteElsewhere = "let it write to /tmp, HOME or $TMPDIR";

// What is known of the model's end while its writes were watched; nothing where it did not end.
PhaseResult<std::optional<DeathEvidence>> StartWatched(Lab& lab, const Setup& setup) {
  lab.Progressed(0, "starting the model once more, to see what it could not write");
  MLPROF_LET(container, lab.Launch({lab.ceiling(), setup, lab.NextSeed(), PageCache::kAsItIs,
                                    Use::kWatchWrites}));
  const auto ready = container->StartWhole();
  container->Close();
  if (lab.stopped()) return Canceled();
  if (ready) return std::nullopt;
  return ready.error();
}

// The one that its last words name, else the likeliest. A longer path may begin with another's.
const RefusedWrite& EndedBy(const DeathEvidence& seen) {
  const RefusedWrite* best = &seen.refused_writes.back();
  std::size_t longest = 0;
  for (const RefusedWrite& write : seen.refused_writes) {
    const std::size_t length = write.path.size();
    if (length < longest || seen.log_tail.find(write.path) == std::string::npos) continue;
    longest = length;
    best = &write;
  }
  return *best;
}

// Whether the model came as far as it did unwatched, and ended by the same.
bool EndedAlike(const DeathEvidence& seen, const DeathEvidence& death) {
  return MentionsReadOnlyFilesystem(seen.log_tail) && seen.exit_code == death.exit_code &&
         seen.signal == death.signal && seen.not_ready.has_value() == death.not_ready.has_value();
}

std::string NameIn(const std::string& folders) {
  return "name " + folders + " in `writablePaths` of the inference config";
}

// Why there is no folder to give; "" where there is one.
std::string Obstacle(const Subject& subject, const Setup& setup, const RefusedWrite& write) {
  const auto holds = [&](const std::string& folder) { return LiesWithin(write.path, folder); };
  const auto input = [&](const ContentInput& given) { return holds(given.inside); };
  if (std::any_of(subject.inputs.begin(), subject.inputs.end(), input)) {
    return "where the models and the source are mounted read-only";
  }
  if (write.folder.empty()) return "and the root folder itself cannot be made writable";
  if (!CheckMountPoint(write.folder).empty()) return "a folder that cannot be made writable";
  const auto same = [&](const RefusedWrite& given) { return given.folder == write.folder; };
  if (std::any_of(setup.given.begin(), setup.given.end(), same)) {
    return "although it may write there";
  }
  return "";
}

void Explain(ProfileError& error, const RefusedWrite& write, const std::string& obstacle) {
  error.message += "; it was refused to write to " + write.path + ", ";
  error.message += obstacle.empty()
                       ? "and this server gives no model a folder to write to that its "
                         "config does not name (--keep-root-read-only)"
                       : obstacle;
  auto& advice = error.advice;
  std::erase_if(advice, [](const std::string& text) {
    return text.find("writablePaths") != std::string::npos;
  });
  if (obstacle.empty()) advice.insert(advice.begin(), NameIn(write.folder));
  if (write.folder.empty()) {
    advice.insert(advice.begin(), "if " + write.path + " is a folder, make it in the image");
  }
  advice.insert(advice.begin(), kWriteElsewhere);
}

}  // namespace

PhaseResult<std::optional<RefusedWrite>> FindRefusedFolder(Lab& lab, const Setup& setup,
                                                           const DeathEvidence& death,
                                                           ProfileError& error) {
  if (death.oom_kills > 0 || death.disk_full || !MentionsReadOnlyFilesystem(death.log_tail) ||
      setup.given.size() >= kMostFolders) {
    return std::nullopt;
  }
  MLPROF_LET(seen, StartWatched(lab, setup));
  // Ready this time, or ended by something else before it came that far.
  if (!seen || seen->oom_kills > 0 || seen->disk_full || lab.budget().Passed()) return std::nullopt;
  if (seen->start_failed) {
    error.message += "; what it could not write is not known: " + *seen->start_failed;
    return std::nullopt;
  }
  if (seen->refused_writes.empty()) {
    if (EndedAlike(*seen, death)) {
      error.message += "; none of its writes met a read-only file system, whatever it says";
    }
    return std::nullopt;
  }
  const RefusedWrite& write = EndedBy(*seen);
  const std::string obstacle = Obstacle(lab.subject(), setup, write);
  if (obstacle.empty() && !lab.subject().keep_root_read_only) return write;
  Explain(error, write, obstacle);
  return std::nullopt;
}

}  // namespace mlprof::server::phases
