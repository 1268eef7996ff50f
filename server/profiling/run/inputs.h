// What a run is given: host, rows, models, source. Looked for once, before anything is launched.
#pragma once

#include <memory>

#include "common/domain/row_source.h"
#include "server/profiling/lab/model_inputs.h"
#include "server/profiling/run/profile_run.h"
#include "server/profiling/run/run_facts.h"

namespace mlprof::server {

/// The objective with the times of its trace of arrivals, if it has one.
PhaseResult<Objective> OpenObjective(const RunServices& services, const Profile& profile,
                                     RunStop& run_stop);

/// What the host gives, and the ceiling within it: no more than was asked, than the host has, and
/// than the cores the model is kept on. An engine that is silent ends the run without a verdict.
PhaseResult<HostChoice> TakeHost(const RunServices& services, const Ceiling& asked,
                                 RunStop& run_stop);

/// Of a host with so much, where the model is kept on `cpuset`. Pure.
HostChoice ChooseWithin(const HostFacts& host, const Cpuset& cpuset, const Ceiling& asked);

/// The rows, read while they are replayed where they are many. Errors as of PlaceInputs.
PhaseResult<std::unique_ptr<RowSource>> OpenRows(const RunServices& services,
                                                 const Profile& profile, RunStop& run_stop);

struct PlacedInputs {
  std::vector<ContentInput> inputs;             // models and source
  std::string model_directory;                  // AZUREML_MODEL_DIR inside the container
  std::shared_ptr<const ContentReader> source;  // null for the image form
  StoredParameters parameters;
};
/// Content is compared with its digest. What is damaged or gone ends the profile; what cannot be
/// read now may be read later.
PhaseResult<PlacedInputs> PlaceInputs(const RunServices& services, const Profile& profile,
                                      RunStop& run_stop);

}  // namespace mlprof::server
