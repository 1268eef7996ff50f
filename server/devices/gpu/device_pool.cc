#include "server/devices/gpu/device_pool.h"

#include <utility>

namespace mlprof::server::devices {
namespace {

// Of a device that no process is shown on; what a driver and a desktop hold by themselves is less.
// Chosen, not measured.
constexpr Bytes kUnexplained = GiB(1);

std::string DoubtOf(const DeviceReading& reading) {
  if (!reading.processes) {
    const auto why = reading.missing.find("processes");
    return "the driver does not tell which processes compute on it" +
           (why == reading.missing.end() ? "" : " (" + why->second + ")");
  }
  const Bytes used = reading.memory_used.value_or(Bytes());
  if (!reading.processes->empty() || used < kUnexplained) return "";
  return std::to_string(used.count() >> 20) +
         " MiB of its memory are held, and no process that holds them is shown";
}

Refusal RefusalOf(const DeviceError& error) { return {false, error.what, error.remedy}; }

}  // namespace

DeviceLease::~DeviceLease() {
  if (pool_ != nullptr) pool_->GiveBack(devices_);
}

// The lock is not held while the driver is asked; what another takes meanwhile is seen below.
std::vector<Candidate> DevicePool::Look(const std::vector<Device>& devices) {
  std::vector<Candidate> candidates;
  for (const Device& device : devices) {
    Candidate candidate{device};
    const auto reading = reader_->Read(device.uuid);
    candidate.lost = !reading && reading.error().problem == DeviceProblem::kLost;
    if (!reading && !candidate.lost) candidate.unread = reading.error().what;
    if (reading && reading->processes) candidate.others = *reading->processes;
    if (reading) candidate.doubt = DoubtOf(*reading);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

tl::expected<DeviceLease, Refusal> DevicePool::Take(int count) {
  if (count <= 0) return DeviceLease();
  const auto listed = reader_->List();
  if (!listed) return tl::unexpected(RefusalOf(listed.error()));
  std::vector<Candidate> candidates = Look(*listed);
  const std::lock_guard lock(mutex_);
  for (Candidate& candidate : candidates) candidate.held = held_.contains(candidate.device.uuid);
  Assignment assignment = Assign(candidates, count, words_);
  if (assignment.kind != Assignment::Kind::kGiven) {
    return tl::unexpected(
        Refusal{assignment.kind == Assignment::Kind::kWait, assignment.why,
                "end what uses them (" + words_.who_uses_them + "), or ask for fewer"});
  }
  for (const Device& device : assignment.devices) held_.insert(device.uuid);
  return DeviceLease(*this, std::move(assignment));
}

tl::expected<void, Refusal> DevicePool::CheckCount(int count) {
  const auto listed = reader_->List();
  if (!listed) return tl::unexpected(RefusalOf(listed.error()));
  if (std::cmp_less_equal(count, listed->size())) return {};
  return tl::unexpected(Refusal{false,
                                std::to_string(count) + " are asked for, and this machine has " +
                                    ListText(*listed, words_.noun),
                                "ask for no more than there are"});
}

std::size_t DevicePool::held() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

void DevicePool::GiveBack(const std::vector<Device>& devices) {
  const std::lock_guard lock(mutex_);
  for (const Device& device : devices) held_.erase(device.uuid);
}

}  // namespace mlprof::server::devices
