// How many files this process may hold open. Engines, service managers and shells start programs
// with a soft limit of 1024, for the sake of select(2); the hard one is what may be had.
#pragma once

#include <cstddef>
#include <limits>

namespace mlprof {

/// The soft limit as it is now.
std::size_t DescriptorLimit();
/// The soft limit becomes the hard one, or `most` where that is less; it is never lowered. Before
/// other threads are started.
void RaiseDescriptorLimit(std::size_t most = std::numeric_limits<std::size_t>::max());
/// The soft limit that this process was started with.
std::size_t DescriptorLimitAtStart();
/// In a child process, before it becomes another program: the soft limit of the start. Programs
/// rely on it: select(2) holds descriptors below 1024, others close all that may be open.
void RestoreDescriptorLimit();

}  // namespace mlprof
