#include "server/profiling/run/proof_warnings.h"

#include <chrono>
#include <optional>
#include <string>

#include "server/analysis/files_of_others.h"
#include "server/analysis/sentence.h"
#include "server/analysis/start_cost.h"
#include "server/profiling/run/answer.h"
#include "server/profiling/run/no_answer.h"
#include "server/profiling/run/proven.h"

namespace mlprof::server {
namespace {

bool HasNoProof(const RunFacts& facts) {
  return facts.verification && facts.verification->finished && !facts.verification->proof;
}

bool WasTakenBack(const RunFacts& facts) { return facts.sustained && facts.sustained->unsteady; }

Warning NotSoaked(const RunFacts& facts) {
  if (ProofOf(facts) == nullptr || WasTakenBack(facts)) {
    return {"soakCutShort", "the answer was not soaked: it was not verified",
            "see why it was not; what is verified is soaked"};
  }
  // Rows that were seen would soak nothing.
  if (facts.distinct) {
    return {"soakCutShort",
            "the answer was not soaked: the model answers rows that it has seen from memory, and "
            "there are no others",
            "give it a dataset of more rows"};
  }
  return {"soakCutShort", "the answer was not soaked: the budget was used up", kLongerBudget};
}

std::optional<Warning> SoakWarning(const RunFacts& facts) {
  if (facts.soak_asked.count() == 0) return std::nullopt;
  if (!facts.soak) return NotSoaked(facts);
  const phases::SoakFacts& soak = *facts.soak;
  if (soak.failed) {
    return Warning{
        "unverified",
        Sentence("the answer held in three containers and failed after %.0f s and %lld requests of "
                 "soaking: %s",
                 soak.seconds, static_cast<long long>(soak.requests), soak.failed->c_str()),
        "request the next larger limits and soak them, or mend what makes it fail"};
  }
  if (soak.whole) return std::nullopt;
  const auto& by = soak.ended_by;
  const double asked = std::chrono::duration<double>(facts.soak_asked).count();
  return Warning{"soakCutShort",
                 Sentence("the answer was soaked for %.0f of %.0f s", soak.seconds, asked) +
                     (by ? ": " + by->message : ""),
                 by ? by->advice.front() : kLongerBudget};
}

std::string Advice(const RunFacts& facts, const std::string& usual) {
  return facts.noise.noisy ? std::string(kWhenQuiet) + "; else " + usual : usual;
}

Warning FilesOfOthersWarning(const phases::Verification& verification, Bytes ceiling) {
  const Bytes files = verification.files_of_others;
  const bool fits = verification.limits.memory() + files <= ceiling;
  return {"unverified",
          "the answer could not be verified: " + UnpaidText(files) +
              "; elsewhere the model pays for them itself" +
              (fits ? ", and the answer has as much memory added"
                    : ", for which the ceiling has no room") +
              (verification.held ? "" : "; " + verification.why_not),
          "stop what else runs this image, or another with the same layers, here (with Docker "
          "`docker ps`), and profile again"};
}

std::optional<Warning> UnverifiedWarning(const RunFacts& facts) {
  if (HasNoProof(facts) && facts.verification->files_of_others > Bytes()) {
    return FilesOfOthersWarning(*facts.verification, facts.host.ceiling.memory());
  }
  if (HasNoProof(facts)) {
    return Warning{"unverified", "the answer could not be verified: " + facts.verification->why_not,
                   Advice(facts,
                          "profile again with a longer --budget-seconds, a higher ceiling or an "
                          "objective the model can hold")};
  }
  if (!facts.cut_short) return std::nullopt;
  return Warning{"unverified",
                 "the budget was used up before the answer could be verified: " + *facts.cut_short,
                 Advice(facts, kLongerBudget)};
}

std::optional<Warning> StartWarning(const RunFacts& facts) {
  const auto answer = AnswerOf(facts);
  if (!answer || !answer->start || !StartsSlowly(*answer->start)) return std::nullopt;
  return Warning{
      "startSlow",
      "it starts in " + StartText(*answer->start, answer->requested.cpu(), facts.starts->cpu) +
          Sentence(": the start takes %.3g CPU seconds", answer->start->at_ceiling.cpu_seconds),
      Sentence("say how soon it must start with --start-within-seconds "
               "(objective.startWithinSeconds), give it %.1f cores while it starts, or let what "
               "waits for it be patient",
               answer->start->startup_cpu.value())};
}

std::optional<Warning> UnsteadyWarning(const RunFacts& facts) {
  if (!WasTakenBack(facts)) return std::nullopt;
  return Warning{"unsteady",
                 "one more container at exactly the recommended limits did not start, or lost a "
                 "process under the objective's own load",
                 "profile again; until then request the next larger limits"};
}

}  // namespace

std::vector<Warning> ProofWarnings(const RunFacts& facts) {
  std::vector<Warning> warnings;
  if (NoAnswerOf(facts)) return warnings;  // which says why itself
  for (auto& warning : {SoakWarning(facts), UnverifiedWarning(facts), StartWarning(facts),
                        UnsteadyWarning(facts)}) {
    if (warning) warnings.push_back(*warning);
  }
  return warnings;
}

}  // namespace mlprof::server
