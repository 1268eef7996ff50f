// What follows from an answer for whoever deploys it, as JSON. Amounts for Kubernetes are written
// as its own quantities ("930m", "208Mi"), ready for a manifest.
#pragma once

#include "common/domain/settings.h"
#include "common/json/json.h"
#include "common/json/json_reader.h"

namespace mlprof {

Json EncodePodResources(const PodResources& pod);
PodResources ReadPodResources(JsonReader& reader);
Json EncodeRareEvents(const RareEvents& rare);
RareEvents ReadRareEvents(JsonReader& reader);

}  // namespace mlprof
