#include "server/rest/what_if_json.h"

#include "common/json/domain_json.h"
#include "common/json/objective_json.h"

namespace mlprof::server {
namespace {

constexpr double kLargestMargin = 10;  // a share of the need: ten times on top is a slip

}  // namespace

Result<WhatIfQuestion> DecodeWhatIfQuestion(const Json& json, const Objective& own) {
  std::vector<FieldError> problems;
  JsonReader reader(json, "", JsonReader::Mode::kRequest, problems);
  WhatIfQuestion question{own, std::nullopt};
  if (auto objective = reader.Object("objective", Null::kAbsent)) {
    question.objective = ReadObjective(*objective);
  }
  question.memory_margin = reader.Number("memoryMargin", {0, kLargestMargin}, Null::kAbsent);
  reader.RefuseUnknown();
  MLPROF_TRY(ProblemsToStatus(std::move(problems)));
  return question;
}

Json EncodeWhatIfAnswer(const WhatIfAnswer& answer) {
  Json json = EncodeRecommendation(answer.recommendation);
  json["withinMeasured"] = answer.within_measured;
  json["notes"] = answer.notes;
  return json;
}

}  // namespace mlprof::server
