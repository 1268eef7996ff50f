// What a plane says of its operations, beside when they ran. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/devices/xspace/id_map.h"
#include "server/devices/xspace/op_metrics.h"
#include "server/devices/xspace/stat_of.h"

namespace mlprof::server::xspace {

/// The operations whose own events tell what each run of them did.
inline constexpr std::string_view kCustomCall = "custom-call";

class OpFacts {
 public:
  explicit OpFacts(const Plane& plane);

  /// nullopt where it has no program and symbol, and so is no operation.
  std::optional<Op> Read(const EventMetadata& shared);
  /// What one run tells of itself.
  void AddOccurrence(const Event& event, Op& op) const;

 private:
  Op Facts(const EventMetadata& shared, int depth);

  const Plane& plane_;
  const StatOf program_, symbol_, category_, tf_op_, flops_, model_flops_, bytes_, breakdown_,
      deduplicated_, shape_, source_, stall_;
  IdMap<const EventMetadata*> by_id_;
  std::size_t fused_left_ = 100'000;  // a fusion may be named by many, and by itself
};

/// A kernel of a GPU: named by the framework's operation and by its own name, or by the HLO.
Op KernelOf(const Plane& plane, const Event& event, const std::optional<Stat>& framework,
            const std::optional<Stat>& hlo);

}  // namespace mlprof::server::xspace
