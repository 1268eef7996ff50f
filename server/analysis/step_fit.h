// How well a line and how well flat stretches with steps between them explain a series. Pure.
#pragma once

#include <span>

#include "server/analysis/trend.h"

namespace mlprof {

/// Sums of squared residuals of the best least-squares fits. Times about n² steps for n points.
struct StepFit {
  double line = 0;
  double one_step = 0;   // two flat stretches
  double two_steps = 0;  // three
};

/// `points` by x.
StepFit FitSteps(std::span<const Point> points);

}  // namespace mlprof
