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

Assignment Assign(const std::vector<Candidate>& candidates, int count, const std::string& noun) {
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
  std::vector<std::size_t> chosen = FreeOf(candidates);
  if (chosen.size() > wanted) chosen.resize(wanted);
  std::sort(chosen.begin(), chosen.end());
  for (const std::size_t i : chosen) {
    assignment.devices.push_back(candidates[i].device);
    const std::string& doubt = candidates[i].doubt;
    if (!doubt.empty()) Append(assignment.doubts, candidates[i].device.uuid + ": " + doubt);
  }
  assignment.why = skipped;
  const std::size_t free = assignment.devices.size();
  if (free == wanted) {
    assignment.kind = Assignment::Kind::kGiven;
    return assignment;
  }
  assignment.devices.clear();
  assignment.doubts.clear();
  const std::string of =
      Counted(wanted, noun) + (wanted == 1 ? " is" : " are") + " asked for, and ";
  if (free + held >= wanted) {
    assignment.kind = Assignment::Kind::kWait;
    assignment.why = of + std::to_string(held) + " of them belong to other profiles now";
    return assignment;
  }
  assignment.why = of + std::to_string(free + held) + " of " + std::to_string(candidates.size()) +
                   " can be given" + (skipped.empty() ? "" : ": " + skipped);
  return assignment;
}

}  // namespace mlprof::server::devices
