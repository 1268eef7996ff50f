// The law between CPU limit and mean latency. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/domain/findings.h"
#include "common/units/cores.h"

namespace mlprof::server {

/// Fits L(C) = serial + work / min(C, parallelism) to the mean latencies (Amdahl's law; algorithm
/// P7): least squares on relative errors, parallelism the best of 1, 2, 4 … 128 (the smallest
/// of equals), serial and work not negative. `points` in any order; they come back by limit. The
/// law's fields stay absent where the points tell of fewer than two limits.
CpuCurve FitCpuCurve(std::vector<CpuPoint> points);

/// The mean latency by the fitted law; nullopt without a fit and outside the probed limits, where
/// the law is not to be trusted.
std::optional<double> MeanMsAt(const CpuCurve& curve, Cores cpu);

/// A model that scales over more cores than this has a knee; up to it nothing is taken from it.
inline constexpr Cores kKneeFrom = Cores(2.0);

/// Where more cores of a model that scales over them stop paying, on the grid and at least
/// `least` and kKneeFrom: where the latency falls half as fast as the cores grow, (work / C) / L(C)
/// = 0.5, which is C = work / serial. Nothing where `answer` is no more than that, or the law fits
/// badly: within 15% on the quadratic mean.
std::optional<Cores> KneeBelow(const CpuCurve& curve, Cores answer, Cores least = {});

/// Of `points` by limit, of a hundred requests and more, the one of the shortest mean latency,
/// where that is at most four fifths of what it is with the most cores of all: threads that fight
/// for what they share. Chosen, not measured: equal runs differ by a tenth.
std::optional<CpuPoint> FasterWithFewerCores(const std::vector<CpuPoint>& points);

}  // namespace mlprof::server
