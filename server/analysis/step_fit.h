// How well a line and how well flat stretches with steps between them explain a series. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "server/analysis/trend.h"

namespace mlprof::server {

/// Sums of squared residuals of the best least-squares fits. Times about n² steps for n points.
struct StepFit {
  double line = 0;
  double one_step = 0;   // two flat stretches
  double two_steps = 0;  // three
};

/// `points` by x.
StepFit FitSteps(std::span<const Point> points);

/// The best least-squares fit of a line with one step of any height in it. About n² steps.
struct LineWithStep {
  std::size_t first_after = 0;  // index of the first point after the step; 0: no step helps
  double height = 0;
  double residual = 0;  // sum of squares
};
LineWithStep FitLineWithStep(std::span<const Point> points);

}  // namespace mlprof::server
