// What a framework prints when it could not have the memory it asked for: found in a log or in a
// response, and told as values. Pure.
//
// The wordings are those of the frameworks' sources and of logs that their users published; each
// has a golden log in tests/golden/allocation_failure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/domain/allocation_failure.h"

namespace mlprof::server {

/// The most telling one of a text: of the framework that says most, the last. nullopt where the
/// text tells of no failed allocation; a limit of something else (RESOURCE_EXHAUSTED of a message's
/// size, of a quota) is none. Takes time linear in the text, which may be hostile.
std::optional<AllocationFailure> FindAllocationFailure(std::string_view text);

/// "TensorFlow could not allocate 4.0 GiB on GPU:0 for a tensor of shape [1024,1024,1024] and type
/// float (operator Fill, allocator GPU_0_bfc): 10.2 of 10.8 GiB were in use". What is not known is
/// not mentioned.
std::string Sentence(const AllocationFailure& failure);

}  // namespace mlprof::server
