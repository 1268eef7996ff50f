// How many files the agent may hold open. From Docker Engine 29 (containerd 2.1.5) on a container
// starts with a soft limit of 1024, less than rows in flight and the kept files of the model's
// processes can take together.
#pragma once

namespace mlprof::agent {

/// The agent's soft limit becomes its hard one.
void RaiseDescriptorLimit();

/// In the model's process: the soft limit the container was started with, because programs rely on
/// it (select(2) holds descriptors below 1024, others close all that may be open).
void RestoreDescriptorLimit();

}  // namespace mlprof::agent
