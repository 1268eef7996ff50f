#include "client/include/mlprof/comparisons.h"

#include "client/src/connection.h"
#include "client/src/profile_request_json.h"
#include "common/json/variant_comparison_json.h"
#include "common/json/variants_json.h"

namespace mlprof::client {
namespace {

Target ComparisonTarget(const std::string& name) { return Target("/comparisons").Segment(name); }

Json ComparisonToSend(const VariantComparisonRequest& request) {
  Json json = EncodeProfileRequest(request.base);
  EncodeVariantsInto(json, request);
  for (std::size_t i = 0; i < request.variants.size(); ++i) {
    const auto& objective = request.variants[i].objective;
    if (objective) json["variants"][i]["objective"] = ObjectiveToSend(*objective);
  }
  return json;
}

}  // namespace

Result<Resource<VariantComparison>> Comparisons::Create(const VariantComparisonRequest& request) {
  return Decoded(
      connection_.CallWithJson("POST", Target("/comparisons"), ComparisonToSend(request)),
      &DecodeComparison);
}

Result<Resource<VariantComparison>> Comparisons::Get(const std::string& name) {
  return Decoded(connection_.Call("GET", ComparisonTarget(name)), &DecodeComparison);
}

Result<ResourceList<VariantComparison>> Comparisons::List() {
  return DecodedAll(connection_.ListAll(Target("/comparisons")), &DecodeComparison);
}

Result<Resource<VariantComparison>> Comparisons::Cancel(const std::string& name) {
  return Decoded(connection_.Call("POST", Target(ComparisonTarget(name).Text() + "/cancel")),
                 &DecodeComparison);
}

Status Comparisons::Delete(const std::string& name) {
  return StatusOf(connection_.Call("DELETE", ComparisonTarget(name)));
}

}  // namespace mlprof::client
