#include "client/src/profile_request_json.h"

#include "common/json/domain_json.h"
#include "common/json/objective_json.h"

namespace mlprof::client {
namespace {

Json EncodeCeiling(const Ceiling& ceiling) {
  Json json = Json::object();
  if (ceiling.cpu) json["cpu"] = ceiling.cpu->value();
  if (ceiling.memory) json["memoryInGb"] = ceiling.memory->gib();
  return json;
}

const char* Name(AcceleratorType type) {
  switch (type) {
    case AcceleratorType::kNone: return "none";
    case AcceleratorType::kGpu: return "gpu";
    case AcceleratorType::kTpu: return "tpu";
  }
  return "none";
}

}  // namespace

Json ObjectiveToSend(const Objective& objective) {
  Json json = Json::object();
  if (objective.concurrency) json["concurrency"] = *objective.concurrency;
  if (objective.requests_per_second) {
    json["requestsPerSecond"] = *objective.requests_per_second;
  }
  if (objective.requests_per_second || objective.arrivals.kind == Arrivals::Kind::kTrace) {
    json["arrivals"] = EncodeArrivals(objective.arrivals);
  }
  if (!objective.latency_ms.empty()) json["latencyInMs"] = objective.latency_ms;
  if (objective.connections) json["connections"] = Name(*objective.connections);
  if (objective.max_error_rate != 0) json["maxErrorRate"] = objective.max_error_rate;
  if (objective.start_within_seconds) json["startWithinSeconds"] = *objective.start_within_seconds;
  return json;
}

Json EncodeProfileRequest(const ProfileRequest& request) {
  Json json = {{"modelIds", request.model_ids},
               {"inputDatasetId", request.input_dataset_id},
               {"objective", ObjectiveToSend(request.objective)},
               {"seed", request.seed}};
  if (request.soak.count() > 0) json["soakSeconds"] = request.soak.count();
  if (request.when_quiet) json["whenQuiet"] = true;
  // Named, it is a hard end; the server's own has the starts added to it.
  if (request.budget_given || request.budget != ProfileRequest().budget) {
    json["budgetSeconds"] = request.budget.count();
  }
  if (!request.name.empty()) json["name"] = request.name;
  if (!request.description.empty()) json["description"] = request.description;
  if (request.inference_config) {
    json["inferenceConfig"] = EncodeInferenceConfig(*request.inference_config);
  }
  if (request.ceiling != Ceiling{}) {
    json["containerResourceRequirements"] = EncodeCeiling(request.ceiling);
  }
  if (request.accelerator != Accelerator{}) {
    json["accelerator"] = {{"type", Name(request.accelerator.type)},
                           {"count", request.accelerator.count}};
  }
  if (!request.runtime.empty()) json["runtime"] = request.runtime;
  return json;
}

}  // namespace mlprof::client
