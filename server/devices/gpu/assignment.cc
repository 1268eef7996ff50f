#include "server/devices/gpu/assignment.h"

#include <algorithm>

namespace mlprof::server::devices {
namespace {

std::string Counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string Skipped(const Candidate& candidate) {
  if (candidate.lost) return candidate.device.uuid + " is lost";
  if (!candidate.unread.empty()) {
    return candidate.device.uuid + " cannot be read (" + candidate.unread + ")";
  }
  std::string pids;
  for (const DeviceProcess& process : candidate.others) {
    pids += (pids.empty() ? "" : ", ") + std::to_string(process.pid);
  }
  return candidate.device.uuid + " is in use by others (process " + pids + ")";
}

bool CanBeGiven(const Candidate& candidate) {
  if (candidate.lost || !candidate.unread.empty()) return false;
  return candidate.held || candidate.others.empty();
}

// The indexes of those that are known to be free, then of those that are in doubt.
std::vector<std::size_t> FreeOf(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> free;
  for (const bool in_doubt : {false, true}) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& candidate = candidates[i];
      if (!CanBeGiven(candidate) || candidate.held) continue;
      if (candidate.doubt.empty() != in_doubt) free.push_back(i);
    }
  }
  return free;
}

// The first block of `count` devices, counted from the first device of the machine, that is free;
// nothing where there is none.
std::vector<std::size_t> FirstNeighbours(const std::vector<std::size_t>& free, std::size_t devices,
                                         std::size_t count) {
  for (std::size_t first = 0; count > 0 && first + count <= devices; first += count) {
    std::vector<std::size_t> block;
    for (const std::size_t i : free) {
      if (i >= first && i < first + count) block.push_back(i);
    }
    if (block.size() == count) return block;
  }
  return {};
}

void Append(std::string& all, const std::string& sentence) {
  all += (all.empty() ? "" : "; ") + sentence;
}

}  // namespace

std::string ListText(const std::vector<Device>& devices, const std::string& noun) {
  std::string names;
  for (const Device& device : devices) {
    names += (names.empty() ? "" : ", ") + device.uuid;
    if (!device.name.empty()) names += " " + device.name;
  }
  return Counted(devices.size(), noun) + (names.empty() ? "" : " (" + names + ")");
}

Assignment Assign(const std::vector<Candidate>& candidates, int count, const PoolWords& words) {
  const auto wanted = static_cast<std::size_t>(std::max(0, count));
  Assignment assignment;
  std::size_t held = 0;
  std::string skipped;
  for (const Candidate& candidate : candidates) {
    if (!CanBeGiven(candidate)) {
      Append(skipped, Skipped(candidate));
    } else if (candidate.held) {
      ++held;
    }
  }
  const std::vector<std::size_t> all_free = FreeOf(candidates);
  std::vector<std::size_t> chosen =
      words.neighbours ? FirstNeighbours(all_free, candidates.size(), wanted) : all_free;
  if (chosen.size() > wanted) chosen.resize(wanted);
  std::sort(chosen.begin(), chosen.end());
  for (const std::size_t i : chosen) {
    assignment.devices.push_back(candidates[i].device);
    const std::string& doubt = candidates[i].doubt;
    if (!doubt.empty()) Append(assignment.doubts, candidates[i].device.uuid + ": " + doubt);
  }
  assignment.why = skipped;
  const std::size_t free = all_free.size();
  if (assignment.devices.size() == wanted) {
    assignment.kind = Assignment::Kind::kGiven;
    return assignment;
  }
  assignment.devices.clear();
  assignment.doubts.clear();
  const std::string of =
      Counted(wanted, words.noun) + (wanted == 1 ? " is" : " are") + " asked for, and ";
  if (held > 0 && free + held >= wanted) {
    assignment.kind = Assignment::Kind::kWait;
    assignment.why = of + std::to_string(held) + " of them belong to other profiles now";
    return assignment;
  }
  if (free >= wanted) {
    assignment.why = of + "no " + std::to_string(wanted) + " that lie side by side are free" +
                     (skipped.empty() ? "" : ": " + skipped);
    return assignment;
  }
  assignment.why = of + std::to_string(free + held) + " of " + std::to_string(candidates.size()) +
                   " can be given" + (skipped.empty() ? "" : ": " + skipped);
  return assignment;
}

}  // namespace mlprof::server::devices
