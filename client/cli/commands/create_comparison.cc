// `mlprof profile … --variants FILE`, once its models and rows are registered.
#include "client/cli/command.h"
#include "client/cli/commands/comparison_commands.h"
#include "client/cli/output/comparison_details.h"
#include "client/cli/watch/watch.h"

namespace mlprof::client::cli {
namespace {

// nullptr where all are over.
const VariantResult* NextToWatch(const VariantComparison& comparison) {
  for (const VariantResult& result : comparison.results) {
    const bool over =
        result.outcome != VariantOutcome::kWaiting && result.outcome != VariantOutcome::kRunning;
    if (!over) return &result;
  }
  return nullptr;
}

void SayWhatCame(Session& session, const VariantComparison& comparison, const std::string& id) {
  for (const VariantResult& result : comparison.results) {
    if (result.profile_id == id) session.Say(ShortResult(result));
  }
}

WatchSubject SubjectOf(const std::string& comparison_id) {
  return {"comparison", [comparison_id](Client& control) -> Status {
            const auto cancelled = control.comparisons().Cancel(comparison_id);
            return cancelled ? Status() : Fail(cancelled.error());
          }};
}

// One after the other, as the queue takes them. nullopt where it was left running.
Result<std::optional<Resource<VariantComparison>>> WatchAll(
    Session& session, Client& client, Resource<VariantComparison> comparison) {
  const std::string id = comparison.value.id;
  for (;;) {
    const VariantResult* next = NextToWatch(comparison.value);
    if (next == nullptr) return std::optional(std::move(comparison));
    const std::string profile_id = next->profile_id;
    const auto place = next - comparison.value.results.data() + 1;
    session.Say("variant " + std::to_string(place) + " of " +
                std::to_string(comparison.value.results.size()) + ": " + next->variant.name);
    const auto watched = WatchHere(session, client, profile_id, SubjectOf(id));
    // One that was deleted meanwhile is none of those that are left.
    if (!watched && watched.error().code() != ErrorCode::kNotFound) return Fail(watched.error());
    if (watched && watched->detached) return std::nullopt;
    MLPROF_LET(now, client.comparisons().Get(id));
    comparison = std::move(now);
    SayWhatCame(session, comparison.value, profile_id);
  }
}

}  // namespace

Status CheckVariantUse(const Options& options) {
  if (options.Has("--variants")) {
    if (!options.Has("--tag-model")) return {};
    return WrongUse("--tag-model cannot be had with --variants, of which one is yet to be chosen");
  }
  for (const char* name : {"--core-price", "--gib-price", "--rank-by"}) {
    if (options.Has(name)) return WrongUse(std::string(name) + " needs --variants");
  }
  return {};
}

Result<VariantsFile> VariantsOf(const Options& options) {
  MLPROF_LET(core_price, options.Number("--core-price", 0));
  MLPROF_LET(gib_price, options.Number("--gib-price", 0));
  const auto rank_by = ParseRankBy(options.Text("--rank-by"));
  if (options.Has("--rank-by") && !rank_by) {
    return WrongUse("--rank-by must be millionRequests or replica, not '" +
                    options.Text("--rank-by") + "'");
  }
  MLPROF_LET(file, ReadVariantsFile(options.Text("--variants")));
  Prices& prices = file.request.prices;
  if (core_price) prices.core_hour = *core_price;
  if (gib_price) prices.gib_hour = *gib_price;
  if (prices.core_hour + prices.gib_hour <= 0) {
    return WrongUse("--core-price or --gib-price must be above 0");
  }
  if (rank_by) file.request.rank_by = *rank_by;
  return std::move(file);
}

Result<int> CreateComparison(Session& session, Client& client, const Options& options,
                             VariantsFile file, ProfileRequest base) {
  MLPROF_LET(request, UploadVariants(session, client, std::move(file), std::move(base)));
  MLPROF_LET(comparison, client.comparisons().Create(request));
  const std::string name = comparison.value.request.base.name;
  session.Say("comparison " + name + " is queued");
  if (options.Has("--no-wait")) {
    PrintComparison(session, comparison);
    return kDone;
  }
  MLPROF_LET(ended, WatchAll(session, client, std::move(comparison)));
  if (!ended) {
    session.Say("left comparison " + name + " running; see it with: mlprof comparison show " +
                name);
    return kRefused;
  }
  PrintComparison(session, *ended);
  return ExitStatusOf(ended->value);
}

}  // namespace mlprof::client::cli
