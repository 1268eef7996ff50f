#include "server/devices/gpu/assignment.h"

#include <algorithm>

namespace mlprof::server::devices {
namespace {

std::string Counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string Skipped(const Candidate& candidate) {
  if (candidate.lost) return candidate.device.uuid + " is lost";
  std::string pids;
  for (const DeviceProcess& process : candidate.others) {
    pids += (pids.empty() ? "" : ", ") + std::to_string(process.pid);
  }
  return candidate.device.uuid + " is in use by others (process " + pids + ")";
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
    if (candidate.lost || (!candidate.held && !candidate.others.empty())) {
      skipped += (skipped.empty() ? "" : "; ") + Skipped(candidate);
    } else if (candidate.held) {
      ++held;
    } else if (assignment.devices.size() < wanted) {
      assignment.devices.push_back(candidate.device);
    }
  }
  assignment.why = skipped;
  const std::size_t free = assignment.devices.size();
  if (free == wanted) {
    assignment.kind = Assignment::Kind::kGiven;
    return assignment;
  }
  assignment.devices.clear();
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
