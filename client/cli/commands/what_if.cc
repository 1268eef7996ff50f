// `mlprof what-if NAME …`: the answer for another objective, out of what the profile has measured.
#include "client/cli/command.h"
#include "client/cli/commands/profile_options.h"
#include "client/cli/output/answer_details.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr double kLargestMargin = 10;

Result<WhatIf> QuestionOf(const Options& options, const Objective& own) {
  WhatIf question;
  if (HasObjectiveOptions(options)) {
    question.objective = own;
    MLPROF_TRY(ApplyObjectiveOptions(options, *question.objective));
  }
  MLPROF_LET(margin, options.Number("--memory-margin", 0));
  if (margin && *margin > kLargestMargin) {
    return Fail(InvalidArgument("--memory-margin is a share: 0.1 is 10%"));
  }
  question.memory_margin = margin;
  return question;
}

std::string Numbers(const Recommendation& answer) {
  return Text(answer.requested.cpu()) + ", " + InMib(answer.requested.memory());
}

std::string DetailsOf(const Profile& profile, const WhatIf& question,
                      const WhatIfRecommendation& answer) {
  const Recommendation& recommendation = answer.recommendation;
  const Objective& objective = question.objective.value_or(profile.request.objective);
  Details details;
  details.Heading("Foreseen for " + Text(objective) + "  (from profile " + profile.request.name +
                  ")");
  WriteNumbers(recommendation, details);
  details.Line("measured", answer.within_measured
                               ? "yes: within what the profile measured; nothing was run for it"
                               : "NO: outside of what the profile measured, an extrapolation");
  details.Line("confidence", Text(recommendation.confidence));
  WriteBounds(recommendation, details);
  WriteTerms(recommendation, details);
  if (profile.recommendation) {
    details.Line("profile's own",
                 Numbers(*profile.recommendation) + " for " + Text(profile.request.objective));
  }
  if (!answer.notes.empty()) details.Heading("Notes");
  for (const std::string& note : answer.notes) details.Block("- " + note, 2);
  return details.Take();
}

Table TableOf(const WhatIfRecommendation& answer) {
  return {{"CPU", "MEMORY", "MEASURED", "CONFIDENCE"},
          {{Figure(answer.recommendation.requested.cpu().value(), 4),
            InMib(answer.recommendation.requested.memory()), answer.within_measured ? "yes" : "no",
            std::string(Text(answer.recommendation.confidence))}}};
}

Result<int> Ask(Session& session, const Options& options) {
  // Wrong use is found before a server is looked for; the profile may well have a rate of its own.
  Objective some_rate;
  some_rate.requests_per_second = 1;
  if (const auto question = QuestionOf(options, some_rate); !question) {
    return Fail(question.error());
  }
  MLPROF_LET(client, session.Connect());
  MLPROF_LET(profile, client.profiles().Get(options.operands()[0]));
  MLPROF_LET(question, QuestionOf(options, profile.value.request.objective));
  MLPROF_LET(answer, client.profiles().AnswerWhatIf(profile.value.id, question));
  session.Print(JsonOfText(answer.json), TableOf(answer.value),
                DetailsOf(profile.value, question, answer.value));
  return kDone;
}

}  // namespace

Command WhatIfCommand() {
  std::vector<OptionSpec> options = ObjectiveOptions();
  options.push_back({{"--memory-margin"}, "SHARE", "memory on top of the need (0.1 is 10%)"});
  return {"what-if",
          "NAME",
          "the answer for another objective, from what was measured; nothing is run",
          1,
          1,
          std::move(options),
          {"mlprof what-if p1 --rps 40 --p95-ms 50",
           "mlprof what-if p1 --concurrency 8 --memory-margin 0.2 -o json"},
          Ask};
}

}  // namespace mlprof::client::cli
