// One way in which a failed allocation is told. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "server/analysis/allocation_failure/allocation_failure.h"

namespace mlprof::server {

/// So many of the largest buffers that a report names are kept.
inline constexpr std::size_t kMostBuffers = 10;

struct Recogniser {
  std::string_view anchor;  // words that stand in each such line, and hardly in others
  /// What `text` tells whose `at`th character begins the anchor; nullopt where it is something
  /// else. Reads so much around it as does not depend on the text's length.
  std::optional<AllocationFailure> (*parse)(std::string_view text, std::size_t at);
};

/// Those of each family, in the order of how much they tell.
std::span<const Recogniser> TensorFlowRecognisers();
std::span<const Recogniser> PyTorchRecognisers();
std::span<const Recogniser> XlaRecognisers();
/// The allocator that TensorFlow and XLA share: where neither tells the failure itself.
std::span<const Recogniser> SharedAllocatorRecognisers();
std::span<const Recogniser> OtherRecognisers();

}  // namespace mlprof::server
