// `mlprof what-if NAME …`: the answer for another objective, out of what the profile has measured.
#include "client/cli/artifacts.h"
#include "client/cli/command.h"
#include "client/cli/commands/profile_options.h"
#include "client/cli/output/answer_details.h"
#include "client/cli/output/tables.h"
#include "client/cli/output/text.h"

namespace mlprof::client::cli {
namespace {

constexpr double kLargestMargin = 10;
constexpr std::int64_t kMostWorkers = 1024;

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
  MLPROF_LET(workers, options.Integer("--workers", 1));
  if (workers && *workers > kMostWorkers) {
    return Fail(InvalidArgument("--workers must be at most " + std::to_string(kMostWorkers)));
  }
  if (workers) question.workers = static_cast<int>(*workers);
  return question;
}

std::string Numbers(const Recommendation& answer) {
  return Text(answer.requested.cpu()) + ", " + InMib(answer.requested.memory());
}

void WriteForeseen(const WhatIfRecommendation& answer, Details& details) {
  const Recommendation& recommendation = *answer.recommendation;
  WriteNumbers(recommendation, details);
  if (recommendation.verified) {
    details.Line("measured", "yes: this is the profile's own question and its own answer");
  } else {
    details.Line("measured", answer.within_measured
                                 ? "yes: within what the profile measured; nothing was run for it"
                                 : "NO: outside of what the profile measured, an extrapolation");
  }
  details.Line("confidence", Text(recommendation.confidence));
  WriteBounds(recommendation, details);
  WriteTerms(recommendation, details);
}

std::string DetailsOf(const Profile& profile, const WhatIf& question,
                      const WhatIfRecommendation& answer) {
  const Objective objective = question.objective.value_or(profile.request.objective);
  Details details;
  details.Heading((answer.recommendation ? "Foreseen for " : "No answer for ") + Text(objective) +
                  "  (from profile " + profile.request.name + ")");
  if (answer.recommendation) WriteForeseen(answer, details);
  if (answer.no_answer) WriteNoAnswer(*answer.no_answer, details);
  if (profile.recommendation) {
    details.Line("profile's own",
                 Numbers(*profile.recommendation) + " for " + Text(profile.request.objective));
  }
  if (answer.no_answer) return details.Take();  // its message is the note
  if (!answer.notes.empty()) details.Heading("Notes");
  for (const std::string& note : answer.notes) details.Block("- " + note, 2);
  return details.Take();
}

Table TableOf(const WhatIfRecommendation& answer) {
  Table table{{"CPU", "MEMORY", "MEASURED", "CONFIDENCE"}, {}};
  if (const auto& said = answer.recommendation) {
    table.rows.push_back({Figure(said->requested.cpu().value(), 4), InMib(said->requested.memory()),
                          answer.within_measured ? "yes" : "no",
                          std::string(Text(said->confidence))});
  } else {
    table.rows.push_back({"-", "-", "no", "-"});
  }
  return table;
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
  if (question.objective) MLPROF_TRY(ResolveTrace(session, client, question.objective->arrivals));
  MLPROF_LET(answer, client.profiles().AnswerWhatIf(profile.value.id, question));
  session.Print(JsonOfText(answer.json), TableOf(answer.value),
                DetailsOf(profile.value, question, answer.value));
  return answer.value.recommendation ? kDone : kNoAnswer;
}

}  // namespace

Command WhatIfCommand() {
  std::vector<OptionSpec> options = ObjectiveOptions();
  options.push_back({{"--memory-margin"}, "SHARE", "memory on top of the need (0.1 is 10%)"});
  options.push_back({{"--workers"}, "N", "processes that serve, where the profile saw some"});
  return {"what-if",
          "NAME",
          "the answer for another objective, from what was measured; nothing is run",
          1,
          1,
          std::move(options),
          {"mlprof what-if p1 --rps 40 --p95-ms 50", "mlprof what-if p1 --workers 8",
           "mlprof what-if p1 --concurrency 8 --memory-margin 0.2 -o json"},
          Ask};
}

}  // namespace mlprof::client::cli
