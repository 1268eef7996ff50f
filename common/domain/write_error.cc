#include "common/domain/write_error.h"

#include "common/units/size_text.h"

namespace mlprof {
namespace {

std::string AmountOf(const DiskFull& full) {
  return full.unit == DiskFull::Unit::kFiles ? std::to_string(full.files) + " files"
                                             : SizeText(full.bytes);
}

}  // namespace

bool MentionsFullDisk(std::string_view log) {
  return log.find("No space left on device") != std::string_view::npos ||
         log.find("ENOSPC") != std::string_view::npos;
}

std::string Clause(const DiskFull& full, std::string_view folders) {
  if (full.place == DiskFull::Place::kHost) {
    return "the disk of " + full.host_folder + " was running full (" + AmountOf(full) +
           " were left) while it wrote there, and it was ended before nothing was left";
  }
  const std::string named = "its writable folders (" + std::string(folders) + ")";
  if (full.place == DiskFull::Place::kToldByLog) {
    return "its log says that no space was left: " + named + " hold " + SizeText(full.bytes) +
           " and " + std::to_string(full.files) + " files together, /dev/shm what shmSize says";
  }
  if (full.killed)
    return "it wrote more than " + AmountOf(full) + " to " + named + " and was ended";
  return named + " were full: " + AmountOf(full) + " is what they hold together";
}

}  // namespace mlprof
