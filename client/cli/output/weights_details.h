// What a model's files say of its parameters, on a terminal. Pure.
#pragma once

#include <optional>
#include <string>

#include "client/cli/output/format.h"
#include "common/domain/model_weights.h"

namespace mlprof::client::cli {

/// The memory that a profile of the model measured and answered.
struct MeasuredMemory {
  std::string profile;
  Bytes used;       // at most, under load
  Bytes requested;  // its answer
};

/// Nothing where no file holds parameters.
std::string WeightsDetails(const ModelWeights& weights,
                           const std::optional<MeasuredMemory>& measured);
/// A row for each file.
Table WeightsTable(const ModelWeights& weights);

}  // namespace mlprof::client::cli
