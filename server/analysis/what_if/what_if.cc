#include "server/analysis/what_if/what_if.h"

#include <algorithm>

#include "server/analysis/recommend.h"
#include "server/analysis/start_cost.h"
#include "server/analysis/what_if/cpu_forecast.h"
#include "server/analysis/what_if/measured_range.h"
#include "server/analysis/what_if/memory_forecast.h"
#include "server/analysis/what_if/question.h"
#include "server/analysis/what_if/serving_model.h"

namespace mlprof::server {
namespace {

WhatIfAnswer WithoutAnswer(const char* code, const MeasuredLoads& loads, const Objective& objective,
                           const std::string& message) {
  WhatIfAnswer answer;
  answer.within_measured = false;
  answer.notes = {message};
  answer.no_answer = NoAnswer{code, message, loads.Nearest(objective)};
  auto& nearest = answer.no_answer->nearest;
  if (nearest && nearest->short_of.empty()) nearest->short_of = message;
  return answer;
}

// The lower of the two.
Confidence Capped(Confidence confidence, Confidence most) {
  return std::max(confidence, most);  // the enumerators go from high to low
}

// A foresight is no surer than what it is made of, and never as sure as what was proven.
void JudgeForesight(const Recommendation& own, WhatIfAnswer& answer) {
  const Confidence most = answer.within_measured ? Confidence::kMedium : Confidence::kLow;
  const std::string foreseen = answer.within_measured
                                   ? "it follows from what was measured, and was not run"
                                   : "it lies beyond what was measured, and was not run";
  Recommendation& said = *answer.recommendation;
  said.confidence = Capped(own.confidence, most);
  for (const ResourceKind kind : kResources) {
    Bound* bound = said.bounds.Find(kind);
    if (bound == nullptr) continue;
    if (const auto asked = said.requested.Find(kind)) bound->at_floor = !OneStepLower(*asked);
    const Bound* before = own.bounds.Find(kind);
    bound->confidence = Capped(before != nullptr ? before->confidence : own.confidence, most);
    bound->because = foreseen;
    // The enumerators go from high to low.
    const bool unsure = before != nullptr && before->confidence >= most;
    if (unsure && !before->because.empty()) bound->because += "; " + before->because;
  }
}

// The same limits for another margin; nothing but the memory changes.
Recommendation Unproven(Recommendation own) {
  own.verified = false;
  own.ForgetTightness();
  own.kubernetes.reset();
  own.rare_events.reset();
  return own;
}

// Its CPU, with the memory as it was answered; or that there is no answer.
WhatIfAnswer OfOtherLoad(const Profile& profile, const MeasuredLoads& loads,
                         const ServingModel& model, const Objective& asked) {
  const Recommendation& own = *profile.recommendation;
  if (const auto more = MoreThanMeasured(loads, asked)) {
    return WithoutAnswer(kBeyondMeasured, loads, asked, *more);
  }
  if (const auto late = StartsTooLate(profile, model.ceiling, asked)) {
    return WithoutAnswer(kObjectiveNotHeld, loads, asked, *late);
  }
  const CpuSearch search(model, asked);
  const auto smallest = search.Smallest();
  if (!smallest) {
    return WithoutAnswer(kObjectiveNotHeld, loads, asked, search.NotEvenTheCeiling());
  }
  WhatIfAnswer answer;
  const Cores cpu = std::max(*smallest, AnswerStart(profile, model.ceiling, asked, answer));
  answer.recommendation = AnswerCpu(profile, model, asked, search, cpu, loads.HighestThroughput());
  if (own.start) {
    answer.recommendation->start =
        ForecastStart(*own.start, own.requested.cpu(), cpu, asked, model.ceiling);
  }
  return answer;
}

}  // namespace

Result<WhatIfAnswer> AnswerWhatIf(const Profile& profile, std::span<const Trial> trials,
                                  std::span<const RowRecord> rows, const WhatIfQuestion& question) {
  MLPROF_TRY(CheckQuestion(question));
  const Objective& own = profile.request.objective;
  const Objective& asked = question.objective;
  const bool same_connections = SameConnections(asked, own);
  const bool same_objective = same_connections && SameObjective(asked, own);
  if (same_objective && profile.no_answer) {
    return WhatIfAnswer{std::nullopt, true, {}, profile.no_answer};
  }
  if (!profile.recommendation) return Fail(Conflict("the profile has no recommendation"));
  MLPROF_TRY(CheckWorkers(profile, question));
  const Recommendation& own_answer = *profile.recommendation;
  if (same_objective && !OtherWorkers(profile, question) && OwnMargin(question)) {
    return WhatIfAnswer{own_answer, true, {}};
  }
  const auto model = CalibrateServingModel(profile, trials, rows);
  if (!model && !same_objective) {
    return Fail(Conflict("the profile measured no load that others could follow from"));
  }

  WhatIfAnswer answer;
  if (same_objective) {
    answer.recommendation = Unproven(own_answer);
  } else {
    answer = OfOtherLoad(profile, LoadsOf(profile, trials), *model, asked);
    if (answer.no_answer) return answer;
  }
  const Cores cpu = answer.recommendation->requested.cpu();
  const double more = same_objective ? 0
                                     : InFlight(*model, asked, cpu) -
                                           InFlight(*model, own, own_answer.requested.cpu());
  AnswerMemory(profile, question, more, answer);
  for (std::string& note : OutsideOfMeasured(profile, trials, asked, cpu)) {
    answer.within_measured = false;
    answer.notes.push_back(std::move(note));
  }
  if (!same_connections) {
    answer.within_measured = false;
    answer.notes.push_back("rows over connections of that kind were not measured");
  }
  JudgeForesight(own_answer, answer);
  return answer;
}

}  // namespace mlprof::server
