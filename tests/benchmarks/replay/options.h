// What the replay benchmark is asked to do.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "server/replay/replay_plan.h"

namespace mlprof::server::bench {

struct ReplayOptions {
  int concurrency = 16;        // also wrk's connections
  std::optional<double> rate;  // open loop, requests a second
  std::chrono::milliseconds ahead = kSentAhead;
  std::chrono::seconds turn{3};
  int rounds = 5;
  bool sleeper = false;  // a target that sleeps 5 ms instead of one that answers at once
  bool json = false;
  bool help = false;
};

inline constexpr const char* kReplayUsage =
    "usage: replay --concurrency N [--rate R [--ahead MS]] --seconds S [--rounds K]\n"
    "              [--target static|sleep5] [-o json]\n"
    "Drives a target in a Docker container through the agent, exactly as a profile does, and wrk\n"
    "drives the same target directly, on its loopback: they take turns of S seconds (3), K rounds\n"
    "(5), and medians are printed. Controller and wrk have one core, the container another.\n"
    "  --concurrency N  requests in flight, and wrk's connections (16)\n"
    "  --rate R         open loop: R requests a second with Poisson arrivals; wrk stays closed\n"
    "  --ahead MS       rows are sent so long before they are due (10, as by a profile)\n"
    "  --target sleep5  answers after 5 ms and keeps its own times, which are held against both\n"
    "Needs Docker, wrk and root (wrk enters the container's network).\n";

/// nullopt where the arguments make no sense.
std::optional<ReplayOptions> ParseReplayOptions(const std::vector<std::string>& arguments);

}  // namespace mlprof::server::bench
