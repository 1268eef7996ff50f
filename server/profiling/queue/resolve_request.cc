#include "server/profiling/queue/resolve_request.h"

#include "server/devices/gpu/device_pool.h"
#include "server/devices/tpu/launch.h"
#include "server/profiling/run/recorded_arrivals.h"
#include "server/registry/dataset_registry.h"
#include "server/registry/model_registry.h"
#include "server/registry/source_registry.h"

namespace mlprof::server {
namespace {

// Azure's own example sends one row a hundred times. Chosen, not measured: it only warns.
constexpr std::int64_t kFewDistinctRows = 10;

Status CheckAvailable(const ProfileRequest& request, const std::string& runtime_name) {
  const auto later = [](std::string what) {
    return Fail(ErrorCode::kNotAvailable, std::move(what) + " come with a later version");
  };
  if (request.accelerator.type == AcceleratorType::kTpu && runtime_name == "process") {
    return Fail(ErrorCode::kNotAvailable,
                "TPUs are given to containers alone: profile on a server with --runtime docker");
  }
  const std::string& runtime = request.runtime;
  if (runtime.empty() || runtime == runtime_name) return {};
  if (runtime == "kubernetes") return later("runtimes other than docker and process");
  if (runtime == "docker" || runtime == "process") {
    return Fail(ErrorCode::kNotAvailable,
                "this server runs models with --runtime " + runtime_name + "; " + runtime +
                    " is had from a server that was started with --runtime " + runtime);
  }
  return Fail(Error(ErrorCode::kInvalidArgument, "the request has bad fields",
                    {{"/runtime", "no such runtime; this server runs " + runtime_name}}));
}

// An error that is not about the id (a broken disk…) must not be blamed on the field.
Status FieldOrFail(const Error& error, const std::string& pointer,
                   std::vector<FieldError>& fields) {
  const bool unknown =
      error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kInvalidArgument;
  if (!unknown) return Fail(error);
  fields.push_back({pointer, error.message()});
  return {};
}

// A machine that never could give so many is told at once; whether they are free, when it runs.
void CheckDevices(const Accelerator& asked, devices::DevicePool& pool,
                  std::vector<FieldError>& fields) {
  if (asked.count == 0) {
    fields.push_back({"/accelerator/count", "must be 1 or more"});
    return;
  }
  if (asked.type == AcceleratorType::kTpu && !tpu::IsTpuCount(asked.count)) {
    fields.push_back({"/accelerator/count",
                      "must be 1, 2, 4 or 8: TPU chips are used as a "
                      "rectangle"});
    return;
  }
  const auto enough = pool.CheckCount(asked.count);
  if (!enough) {
    fields.push_back({"/accelerator/count", enough.error().why + "; " + enough.error().remedy});
  }
}

class Resolver {
 public:
  Resolver(const RequestServices& services, const std::string& workspace, ProfileRequest& request)
      : services_(services), workspace_(workspace), request_(request) {}

  Status Models() {
    for (std::size_t i = 0; i < request_.model_ids.size(); ++i) {
      auto model = services_.models.Get(workspace_, request_.model_ids[i]);
      if (!model) {
        MLPROF_TRY(FieldOrFail(model.error(), "/modelIds/" + std::to_string(i), fields));
        continue;
      }
      request_.model_ids[i] = model->id;
      if (i == 0 && !request_.inference_config) request_.inference_config = model->inference_config;
    }
    return {};
  }

  Status Dataset() {
    const auto dataset = services_.datasets.Get(workspace_, request_.input_dataset_id);
    if (!dataset) return FieldOrFail(dataset.error(), "/inputDatasetId", fields);
    request_.input_dataset_id = dataset->id;
    warnings.insert(warnings.end(), dataset->warnings.begin(), dataset->warnings.end());
    if (dataset->distinct_row_count < kFewDistinctRows) {
      warnings.push_back({"fewDistinctRows",
                          "the dataset has " + std::to_string(dataset->distinct_row_count) +
                              " distinct rows: caches may make the model look faster than it is",
                          "register rows as different as the requests in production"});
    }
    return {};
  }

  Status Config() {
    if (!request_.inference_config) {
      fields.push_back({"/inferenceConfig", "neither the request nor the first model has one"});
      return {};
    }
    if (request_.inference_config->network == NetworkMode::kBridge) {
      warnings.push_back(
          {"networkOpen", "the model's container had a network: it can reach other machines", ""});
    }
    const auto* script = std::get_if<EntryScriptConfig>(&request_.inference_config->service);
    if (script == nullptr) return CheckImage();
    const auto exists = services_.sources.Exists(workspace_, script->source_id);
    if (!exists) return FieldOrFail(exists.error(), "/inferenceConfig/sourceId", fields);
    if (!*exists) fields.push_back({"/inferenceConfig/sourceId", "no such source"});
    return {};
  }

  Status RecordedArrivals() {
    const Status read = ReadRecorded(services_.datasets, workspace_, request_.objective);
    return read ? read : FieldOrFail(read.error(), "/objective/arrivals/trace", fields);
  }

  std::vector<FieldError> fields;
  std::vector<Warning> warnings;

 private:
  // A process has no image, and a container always one.
  Status CheckImage() {
    const auto& service = std::get<ImageConfig>(request_.inference_config->service);
    const bool process = services_.runtime_name == "process";
    if (process && !service.image.empty()) {
      fields.push_back({"/inferenceConfig/image",
                        "this server runs models as processes of its machine (--runtime process), "
                        "which have no image: give command and leave image out"});
    }
    if (!process && service.image.empty()) {
      fields.push_back({"/inferenceConfig/image",
                        "is required: only a server with --runtime process runs a command of its "
                        "own machine"});
    }
    return {};
  }

  const RequestServices& services_;
  const std::string& workspace_;
  ProfileRequest& request_;
};

}  // namespace

Result<std::vector<FieldError>> UnknownIds(const RequestServices& services,
                                           const std::string& workspace,
                                           const ProfileRequest& request) {
  ProfileRequest copy = request;
  Resolver resolver(services, workspace, copy);
  MLPROF_TRY(resolver.Models());
  if (!copy.input_dataset_id.empty()) MLPROF_TRY(resolver.Dataset());
  MLPROF_TRY(resolver.RecordedArrivals());
  return std::move(resolver.fields);
}

Result<ResolvedRequest> ResolveRequest(const RequestServices& services,
                                       const std::string& workspace, ProfileRequest request) {
  MLPROF_TRY(CheckAvailable(request, services.runtime_name));
  Resolver resolver(services, workspace, request);
  MLPROF_TRY(resolver.Models());
  MLPROF_TRY(resolver.Dataset());
  MLPROF_TRY(resolver.RecordedArrivals());
  MLPROF_TRY(resolver.Config());
  if (request.accelerator.type != AcceleratorType::kNone) {
    const bool tpu = request.accelerator.type == AcceleratorType::kTpu;
    devices::DevicePool* pool = tpu ? services.tpus : services.gpus;
    if (pool == nullptr) {
      return Fail(ErrorCode::kNotAvailable,
                  tpu ? "this server gives no TPUs" : "this server gives no GPUs");
    }
    CheckDevices(request.accelerator, *pool, resolver.fields);
  }
  if (!resolver.fields.empty()) {
    return Fail(Error(ErrorCode::kInvalidArgument, "the request has bad fields", resolver.fields));
  }
  request.runtime = services.runtime_name;
  Objective& objective = request.objective;
  if (!objective.requests_per_second) objective.concurrency = objective.ConcurrencyOrOne();
  return ResolvedRequest{std::move(request), std::move(resolver.warnings)};
}

}  // namespace mlprof::server
