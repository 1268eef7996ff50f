// The CPU limit of a load that was not run, by simulating it. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/domain/profile.h"
#include "server/analysis/what_if/serving_model.h"
#include "server/analysis/what_if/what_if.h"

namespace mlprof::server {

/// The limits that an objective is simulated at, one after the other. What it is made of outlives
/// it.
class CpuSearch {
 public:
  CpuSearch(const ServingModel& model, const Objective& objective);

  QueueOutcome Simulate(Cores cpu) const;

  /// What a rate wants at least, so that its bursts find room.
  Cores Floor() const;

  /// The smallest that holds; nullopt where the ceiling does not.
  std::optional<Cores> Smallest() const;

  /// Why the ceiling does not do.
  std::string NotEvenTheCeiling() const;

 private:
  bool Holds(const QueueOutcome& outcome) const;

  const ServingModel& model_;
  const Objective& objective_;
  std::int64_t requests_;
  QueueOutcome at_ceiling_;
};

/// Why the ceiling itself starts too late for the objective, where it does.
std::optional<std::string> StartsTooLate(const Profile& profile, Cores ceiling,
                                         const Objective& objective);

/// What it takes to start as soon as the objective asks, at least; a note in `answer` where that
/// was not measured.
Cores AnswerStart(const Profile& profile, Cores ceiling, const Objective& objective,
                  WhatIfAnswer& answer);

/// The profile's answer with `cpu` in place of its own, and what that is foreseen to serve, no more
/// than `highest_throughput`.
Recommendation AnswerCpu(const Profile& profile, const ServingModel& model,
                         const Objective& objective, const CpuSearch& search, Cores cpu,
                         double highest_throughput);

/// Requests that are in the server at once: of a rate as a profile counts them.
double InFlight(const ServingModel& model, const Objective& objective, Cores cpu);

}  // namespace mlprof::server
