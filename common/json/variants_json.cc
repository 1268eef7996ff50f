#include "common/json/variants_json.h"

#include <map>

#include "common/json/inference_config_json.h"
#include "common/json/objective_json.h"
#include "common/json/profile_request_json.h"

namespace mlprof {
namespace {

constexpr double kHighestPrice = 1e9;  // keeps a slip from becoming a number that overflows
constexpr const char* kBudgetIsGiven = "budgetGiven";

void CheckServedBy(JsonReader& reader, const Variant& variant) {
  if (!variant.inference_config) return;
  for (const char* key : {"image", "command", "args"}) {
    if (reader.Has(key)) reader.Problem(key, "must not be given together with inferenceConfig");
  }
}

// As in an inference config, an empty list replaces nothing.
std::optional<std::vector<std::string>> ReadVariantWords(JsonReader& reader, std::string_view key) {
  auto words = reader.Strings(key, CheckArgument);
  if (words && words->empty()) return std::nullopt;
  return words;
}

Variant ReadVariant(JsonReader& reader, SourceRule rule) {
  Variant variant;
  reader.Require("name");
  Assign(variant.name, reader.String("name", CheckName));
  if (auto config = reader.Object("inferenceConfig", Null::kAbsent)) {
    variant.inference_config = ReadInferenceConfig(*config, rule);
  }
  variant.image = reader.String("image", CheckImageReference);
  variant.command = ReadVariantWords(reader, "command");
  variant.args = ReadVariantWords(reader, "args");
  Assign(variant.environment_variables,
         reader.StringMap("environmentVariables", CheckEnvironmentName, CheckEnvironmentValue));
  if (auto objective = reader.Object("objective", Null::kAbsent)) {
    variant.objective = ReadObjective(*objective);
  }
  if (reader.mode() == JsonReader::Mode::kRequest) CheckServedBy(reader, variant);
  reader.RefuseUnknown(Unknown::kWithAllowed);
  return variant;
}

void CheckCount(JsonReader& reader, const std::vector<Variant>& variants) {
  if (variants.size() < 2) reader.Problem("variants", "must hold at least two alternatives");
  if (variants.size() > kMostVariants) {
    reader.Problem("variants", "must hold at most " + std::to_string(kMostVariants));
  }
}

void ReadPrices(JsonReader& reader, Prices& prices) {
  Assign(prices.core_hour, reader.Number("perCoreHour", {0, kHighestPrice}));
  Assign(prices.gib_hour, reader.Number("perGibHour", {0, kHighestPrice}));
  if (prices.core_hour + prices.gib_hour <= 0) {
    reader.Problem("perCoreHour", "must be above 0, or perGibHour");
  }
  reader.RefuseUnknown(Unknown::kWithAllowed);
}

Json EncodePrices(const Prices& prices) {
  return {{"perCoreHour", prices.core_hour}, {"perGibHour", prices.gib_hour}};
}

}  // namespace

void ReadVariants(JsonReader& reader, SourceRule rule, VariantComparisonRequest& request) {
  reader.Require("variants");
  std::map<std::string, std::string> pointers;  // of the names so far
  for (JsonReader& item : reader.Objects("variants")) {
    Variant variant = ReadVariant(item, rule);
    const auto [first, is_new] = pointers.emplace(variant.name, item.pointer());
    if (!is_new && !variant.name.empty()) {
      item.Problem("name", "is the name of " + first->second + " already");
    }
    request.variants.push_back(std::move(variant));
  }
  const Json* list = reader.Find("variants");
  if (reader.mode() == JsonReader::Mode::kRequest && list != nullptr && list->is_array()) {
    CheckCount(reader, request.variants);
  }
  if (auto prices = reader.Object("prices", Null::kAbsent)) ReadPrices(*prices, request.prices);
  if (const auto name = reader.String("rankBy")) {
    const auto by = ParseRankBy(*name);
    if (!by) reader.Problem("rankBy", "must be millionRequests or replica");
    Assign(request.rank_by, by);
  }
}

void CheckSharedBudget(JsonReader& reader, const VariantComparisonRequest& request) {
  const auto least = kLeastVariantBudget * static_cast<std::int64_t>(request.variants.size());
  if (!request.base.budget_given || request.base.budget >= least) return;
  reader.Problem("budgetSeconds", "must be at least " + std::to_string(least.count()) + " for " +
                                      std::to_string(request.variants.size()) + " variants");
}

VariantComparisonRequest DecodeComparisonRequest(const Json& json,
                                                 std::vector<FieldError>& problems) {
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  VariantComparisonRequest request;
  request.base = ReadProfileRequest(reader);
  ReadVariants(reader, SourceRule::kNeedsSourceId, request);
  CheckSharedBudget(reader, request);
  reader.RefuseUnknown();
  return request;
}

Json EncodeVariant(const Variant& variant) {
  Json json = {{"name", variant.name}};
  if (variant.inference_config) {
    json["inferenceConfig"] = EncodeInferenceConfig(*variant.inference_config);
  }
  if (variant.image) json["image"] = *variant.image;
  if (variant.command) json["command"] = *variant.command;
  if (variant.args) json["args"] = *variant.args;
  if (!variant.environment_variables.empty()) {
    json["environmentVariables"] = variant.environment_variables;
  }
  if (variant.objective) json["objective"] = EncodeObjective(*variant.objective);
  return json;
}

void EncodeVariantsInto(Json& json, const VariantComparisonRequest& request) {
  json["variants"] = Json::array();
  for (const Variant& variant : request.variants)
    json["variants"].push_back(EncodeVariant(variant));
  json["prices"] = EncodePrices(request.prices);
  json["rankBy"] = Name(request.rank_by);
}

Json EncodeStoredRequest(const VariantComparisonRequest& request) {
  Json json = Json::object();
  EncodeProfileRequestInto(json, request.base);
  EncodeVariantsInto(json, request);
  json[kBudgetIsGiven] = request.base.budget_given;
  return json;
}

Result<VariantComparisonRequest> DecodeStoredRequest(const Json& json) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kResource, problems);
  VariantComparisonRequest request;
  request.base = ReadProfileRequest(reader);
  ReadVariants(reader, SourceRule::kLocalFile, request);
  Assign(request.base.budget_given, reader.Boolean(kBudgetIsGiven));
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return request;
}

}  // namespace mlprof
