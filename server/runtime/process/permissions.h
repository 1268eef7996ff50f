// What this server may do on this machine: how far a model is kept apart from it, and what it can
// be held to.
#pragma once

#include <string>
#include <vector>

#include "common/domain/warning.h"
#include "server/runtime/process/cgroup/cgroup_tree.h"

namespace mlprof::server::process {

/// How a model is kept apart.
enum class Apart {
  kAsRoot,  // namespaces made by root; the model runs as a user without rights
  kAsUser,  // namespaces in a user namespace; the model runs as the server's user
  kNot,     // it shares network, /tmp and processes with the machine
};

struct Permissions {
  Apart apart = Apart::kNot;
  std::string why_not_apart;  // as the kernel said it; "" where it is apart
  LimitsHere limits;
};

/// What a profile is told of it. Pure.
std::vector<Warning> WarningsOf(const Permissions& permissions);

}  // namespace mlprof::server::process
