// A profile with something in every field.
#pragma once

#include <string>

#include "common/domain/profile.h"

namespace mlprof::server {

inline Profile ExampleProfile(const std::string& name) {
  Profile profile;
  profile.workspace = "default";
  profile.created = Timestamp(std::chrono::milliseconds(1'790'000'000'123));
  profile.request.name = name;
  profile.request.description = "an example";
  profile.request.model_ids = {"sentiment:1", "words:2"};
  profile.request.input_dataset_id = "requests:1";
  profile.request.inference_config = InferenceConfig{};
  ImageConfig image;
  image.image = "example";
  image.port = 80;
  profile.request.inference_config->service = image;
  profile.request.ceiling = {Cores(3.5), GiB(15)};
  profile.request.objective.concurrency = 4;
  profile.request.objective.latency_ms = {{"p95", 50}};
  profile.request.runtime = "docker";
  profile.request.seed = 7;
  return profile;
}

}  // namespace mlprof::server
