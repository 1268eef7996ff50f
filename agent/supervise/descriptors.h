// How many files the agent may hold open. Engines of today start a container with a soft limit of
// 1024, fewer than rows in flight, processes of the model and their kept files can take together.
#pragma once

namespace mlprof::agent {

/// The agent's soft limit becomes its hard one.
void RaiseDescriptorLimit();

/// In the model's process: the soft limit the container was started with, because programs rely on
/// it (select(2) holds descriptors below 1024, others close all that may be open).
void RestoreDescriptorLimit();

}  // namespace mlprof::agent
