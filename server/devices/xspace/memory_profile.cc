// What an allocator of TensorFlow's had handed out over time.
#include <algorithm>
#include <map>

#include "server/devices/xspace/left_out.h"
#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/stat_of.h"
#include "server/devices/xspace/tools.h"

namespace mlprof::server::xspace {
namespace {

constexpr std::size_t kMostPoints = 1000;
constexpr std::size_t kMostActive = 1000;
constexpr std::size_t kMostAllocators = 100;
constexpr std::size_t kLongestAllocator = 256;
constexpr std::size_t kLongestWord = 1024;

struct AllocatorStats {
  explicit AllocatorStats(const Plane& plane)
      : allocator(plane, "allocator_name"),
        reserved(plane, "bytes_reserved"),
        allocated(plane, "bytes_allocated"),
        available(plane, "bytes_available"),
        fragmentation(plane, "fragmentation"),
        peak(plane, "peak_bytes_in_use"),
        requested(plane, "requested_bytes"),
        bytes(plane, "allocation_bytes"),
        address(plane, "addr"),
        tf_op(plane, "tf_op"),
        region(plane, "region_type"),
        type(plane, "data_type"),
        shape(plane, "shape") {}
  StatOf allocator, reserved, allocated, available, fragmentation, peak, requested, bytes, address,
      tf_op, region, type, shape;
};

// An allocation or its end.
struct MemoryEvent {
  const Event* event = nullptr;
  bool is_allocation = false;
  double stack = 0;
  double heap = 0;
  double free = 0;
  double fragmentation = 0;
  double lifetime_peak = 0;
  double bytes = 0;
  std::uint64_t address = 0;

  double Used() const { return stack + heap; }
};

using Allocators = std::map<std::string_view, std::vector<MemoryEvent>>;

Allocators Collect(const Plane& plane, const AllocatorStats& stats, const TimeLimit& time) {
  Allocators out;
  for (const Line& line : plane.lines) {
    for (const Event& event : line.events) {
      if (time.Over()) return out;
      const std::string_view name = plane.Of(event).name;
      const bool allocation = name == "MemoryAllocation";
      if (!allocation && name != "MemoryDeallocation") continue;
      MemoryEvent one;
      one.event = &event;
      one.is_allocation = allocation;
      one.stack = stats.reserved.NumberOf(event);
      one.heap = stats.allocated.NumberOf(event);
      one.free = stats.available.NumberOf(event);
      one.fragmentation = stats.fragmentation.NumberOf(event);
      one.lifetime_peak = stats.peak.NumberOf(event);
      one.bytes = stats.bytes.NumberOf(event);
      one.address = stats.address.WholeOf(event);
      out[stats.allocator.TextOf(event).substr(0, kLongestAllocator)].push_back(one);
    }
  }
  for (auto& [name, events] : out) {
    std::stable_sort(events.begin(), events.end(), [](const MemoryEvent& a, const MemoryEvent& b) {
      return a.event->start_ps < b.event->start_ps;
    });
  }
  return out;
}

Json Point(const MemoryEvent& at) {
  return {{"timeInMs", static_cast<double>(at.event->start_ps) / 1e9},
          {"usedInBytes", at.Used()},
          {"stackInBytes", at.stack},
          {"heapInBytes", at.heap},
          {"freeInBytes", at.free},
          {"fragmentation", at.fragmentation}};
}

// The fullest of each stretch, so that no peak is lost.
Json Timeline(const std::vector<MemoryEvent>& events) {
  const std::size_t stretch = (events.size() + kMostPoints - 1) / kMostPoints;
  Json out = Json::array();
  for (std::size_t from = 0; from < events.size(); from += stretch) {
    std::size_t fullest = from;
    for (std::size_t i = from; i < std::min(events.size(), from + stretch); ++i) {
      if (events[i].Used() > events[fullest].Used()) fullest = i;
    }
    out.push_back(Point(events[fullest]));
  }
  return out;
}

Json ActiveJson(const AllocatorStats& stats, const MemoryEvent& allocation) {
  const auto text = [&](const StatOf& stat) {
    return std::string(stat.TextOf(*allocation.event).substr(0, kLongestWord));
  };
  return {{"op", text(stats.tf_op)},
          {"sizeInBytes", allocation.bytes},
          {"requestedInBytes", stats.requested.NumberOf(*allocation.event)},
          {"region", text(stats.region)},
          {"type", text(stats.type)},
          {"shape", text(stats.shape)}};
}

// What was allocated within the trace and not freed before the peak; the rest was there before.
Json ActiveAtPeak(const AllocatorStats& stats, const std::vector<MemoryEvent>& events,
                  std::size_t peak) {
  std::map<std::uint64_t, const MemoryEvent*> active;
  for (std::size_t i = 0; i <= peak; ++i) {
    if (events[i].is_allocation) active[events[i].address] = &events[i];
    if (!events[i].is_allocation) active.erase(events[i].address);
  }
  std::vector<const MemoryEvent*> order;
  double told = 0;
  for (const auto& [address, allocation] : active) {
    order.push_back(allocation);
    told += allocation->bytes;
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const MemoryEvent* a, const MemoryEvent* b) { return a->bytes > b->bytes; });
  Json out = Json::array();
  for (std::size_t i = 0; i < order.size() && i < kMostActive; ++i) {
    out.push_back(ActiveJson(stats, *order[i]));
  }
  const double before = events[peak].Used() - told;
  if (before > 0) out.push_back({{"op", "(before the trace began)"}, {"sizeInBytes", before}});
  return out;
}

Json AllocatorJson(const AllocatorStats& stats, const std::vector<MemoryEvent>& events) {
  std::size_t peak = 0;
  double lifetime = 0, capacity = 0, allocations = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].Used() > events[peak].Used()) peak = i;
    lifetime = std::max(lifetime, events[i].lifetime_peak);
    capacity = std::max(capacity, events[i].Used() + events[i].free);
    allocations += events[i].is_allocation ? 1 : 0;
  }
  return {{"allocations", allocations},
          {"deallocations", static_cast<double>(events.size()) - allocations},
          {"capacityInBytes", capacity},
          {"lifetimePeakInBytes", lifetime},
          {"peak", Point(events[peak])},
          {"timeline", Timeline(events)},
          {"activeAtPeak", ActiveAtPeak(stats, events, peak)}};
}

}  // namespace

Json MemoryProfile(const Trace& trace, const TimeLimit& time) {
  Json allocators = Json::object();
  std::size_t left_out = 0;
  const Plane* host = trace.FindPlane(kHostPlane);
  if (host != nullptr) {
    const AllocatorStats stats(*host);
    for (const auto& [name, events] : Collect(*host, stats, time)) {
      if (allocators.size() >= kMostAllocators) {
        ++left_out;
      } else {
        allocators[std::string(name)] = AllocatorJson(stats, events);
      }
    }
  }
  Json out = {{"allocators", std::move(allocators)}};
  TellLeftOut(out, "allocators", left_out);
  return out;
}

}  // namespace mlprof::server::xspace
