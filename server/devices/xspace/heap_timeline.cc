#include "server/devices/xspace/heap_timeline.h"

#include <algorithm>

#include "server/devices/xspace/id_map.h"

namespace mlprof::server::xspace {
namespace {

constexpr double kPointerBytes = 8;  // of each part of a tuple's table

// The heap of the temporaries: by its first buffer, which tells the allocation it is a heap of; the
// index the trace itself has is of another kind of program wrong. Else the one with most buffers of
// this memory.
const std::vector<HeapEvent>* HeapOf(const HloModule& module, std::int64_t memory_space) {
  IdSet temporaries;
  for (const BufferAllocation& allocation : module.allocations) {
    if (allocation.IsIndefinite() || allocation.color != memory_space) continue;
    for (const auto& assigned : allocation.assigned) temporaries.insert(assigned.buffer);
  }
  const std::vector<HeapEvent>* most = nullptr;
  std::size_t most_count = 0;
  for (const auto& events : module.heap_traces) {
    if (!events.empty() && temporaries.contains(events.front().buffer)) return &events;
    std::size_t count = 0;
    for (const HeapEvent& event : events) {
      const auto buffer = module.buffers.find(event.buffer);
      if (buffer != module.buffers.end() && buffer->second.color == memory_space) ++count;
    }
    if (count > most_count) {
      most_count = count;
      most = &events;
    }
  }
  return most;
}

class HeapWalk {
 public:
  HeapWalk(const HloModule& module, const TimeLimit& time, HeapTimeline& out)
      : module_(module), time_(time), out_(out) {}

  void Run(const std::vector<HeapEvent>& events) {
    for (std::size_t i = 0; i < events.size() && !time_.OverNow(); ++i) {
      Note(events[i].instruction);
      Step(events[i], i);
    }
    Note("");
    for (auto& [buffer, span] : out_.spans) {
      if (live_.contains(buffer)) span.second = events.size();
    }
    out_.peak += out_.indefinite;
    out_.unpadded_peak += out_.indefinite;
  }

 private:
  void Note(std::string_view instruction) {
    out_.sizes.push_back(out_.indefinite + bytes_);
    out_.unpadded.push_back(out_.indefinite + unpadded_);
    out_.instructions.push_back(instruction);
  }

  // Several names of one buffer count once, under the one they all lead to.
  std::int64_t Root(std::int64_t buffer) const {
    for (int steps = 0; steps < 64; ++steps) {
      const auto next = canonical_.find(buffer);
      if (next == canonical_.end()) break;
      buffer = next->second;
    }
    return buffer;
  }

  void Step(const HeapEvent& event, std::size_t at) {
    if (event.kind == HeapEvent::Kind::kFree) return Free(Root(event.buffer), at);
    if (event.kind == HeapEvent::Kind::kShareWith && event.buffer != event.canonical) {
      canonical_[event.buffer] = event.canonical;
    }
    Use(Root(event.buffer), at);
  }

  double UnpaddedOf(const LogicalBuffer& buffer) {
    const auto [known, is_new] = unpadded_of_.emplace(buffer.id, 0);
    if (is_new) known->second = UnpaddedBytes(module_, buffer);
    return known->second;
  }

  void Use(std::int64_t buffer, std::size_t at) {
    if (++users_[buffer] > 1) return;
    const auto found = module_.buffers.find(buffer);
    if (found == module_.buffers.end()) return;
    live_.insert(buffer);
    order_.push_back(buffer);
    bytes_ += static_cast<double>(found->second.size);
    unpadded_ += UnpaddedOf(found->second);
    out_.spans[buffer] = {at, at};
    if (bytes_ > out_.peak) {
      out_.peak = bytes_;
      out_.unpadded_peak = unpadded_;
      out_.peak_position = at;
      peak_order_ = order_.size();
    }
  }

  void Free(std::int64_t buffer, std::size_t at) {
    if (--users_[buffer] > 0) return;
    const auto found = module_.buffers.find(buffer);
    if (found == module_.buffers.end() || live_.erase(buffer) == 0) return;
    bytes_ -= static_cast<double>(found->second.size);
    unpadded_ -= UnpaddedOf(found->second);
    out_.spans[buffer].second = at;
  }

 public:
  /// Those that live when the peak is reached, in the order in which they began.
  void FindLiveAtPeak() {
    for (std::size_t i = 0; i < peak_order_; ++i) {
      const auto& span = out_.spans[order_[i]];
      if (span.first <= out_.peak_position && span.second > out_.peak_position) {
        out_.live_at_peak.push_back(order_[i]);
      }
    }
    std::sort(out_.live_at_peak.begin(), out_.live_at_peak.end());
    out_.live_at_peak.erase(std::unique(out_.live_at_peak.begin(), out_.live_at_peak.end()),
                            out_.live_at_peak.end());
  }

 private:
  const HloModule& module_;
  const TimeLimit& time_;
  HeapTimeline& out_;
  double bytes_ = 0;
  double unpadded_ = 0;
  IdMap<std::int64_t> canonical_;
  IdMap<std::int64_t> users_;
  IdMap<double> unpadded_of_;
  IdSet live_;
  std::vector<std::int64_t> order_;
  std::size_t peak_order_ = 0;
};

}  // namespace

double UnpaddedBytes(const HloModule& module, const LogicalBuffer& buffer) {
  const HloInstruction* instruction = module.InstructionOf(buffer);
  if (instruction == nullptr || instruction->shape.size() > kLongestShape)
    return static_cast<double>(buffer.size);
  const DecodedShape decoded = DecodeShape(instruction->shape, buffer.shape_index);
  if (!decoded.is_array) return kPointerBytes * static_cast<double>(decoded.parts);
  return UnpaddedBytes(decoded.shape);
}

HeapTimeline WalkHeap(const HloModule& module, std::int64_t memory_space, const TimeLimit& time) {
  HeapTimeline out;
  for (const BufferAllocation& allocation : module.allocations) {
    if (!allocation.IsIndefinite() || allocation.color != memory_space) continue;
    out.indefinite += static_cast<double>(allocation.size);
    const BufferAllocation::Assigned* largest = nullptr;
    for (const auto& assigned : allocation.assigned) {
      if (largest == nullptr || assigned.size > largest->size) largest = &assigned;
    }
    if (largest != nullptr) out.indefinite_buffers.push_back(largest->buffer);
  }
  HeapWalk walk(module, time, out);
  static const std::vector<HeapEvent> none;
  const std::vector<HeapEvent>* events = HeapOf(module, memory_space);
  walk.Run(events == nullptr ? none : *events);
  walk.FindLiveAtPeak();
  return out;
}

}  // namespace mlprof::server::xspace
