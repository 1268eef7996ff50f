#include "server/devices/gpu/device_pool.h"

#include <utility>

namespace mlprof::server::devices {
namespace {

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
    if (reading && reading->processes) candidate.others = *reading->processes;
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
  Assignment assignment = Assign(candidates, count, words_.noun);
  if (assignment.kind != Assignment::Kind::kGiven) {
    return tl::unexpected(
        Refusal{assignment.kind == Assignment::Kind::kWait, assignment.why,
                "end what uses them (" + words_.who_uses_them + "), or ask for fewer"});
  }
  for (const Device& device : assignment.devices) held_.insert(device.uuid);
  return DeviceLease(*this, std::move(assignment.devices), std::move(assignment.why));
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
