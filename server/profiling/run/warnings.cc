#include "server/profiling/run/warnings.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "server/analysis/delayed_ack.h"
#include "server/analysis/sentence.h"
#include "server/profiling/phases/preflight.h"
#include "server/profiling/run/cold_warnings.h"
#include "server/profiling/run/device_warnings.h"
#include "server/profiling/run/measured_need.h"
#include "server/profiling/run/noise_warnings.h"
#include "server/profiling/run/proof_warnings.h"
#include "server/profiling/run/proven.h"
#include "server/profiling/run/sizing_warnings.h"
#include "server/profiling/run/tail_warning.h"

namespace mlprof::server {
namespace {

using Warnings = std::vector<Warning>;

void Add(Warnings& warnings, Warning warning) {
  const bool known = std::any_of(warnings.begin(), warnings.end(),
                                 [&](const Warning& old) { return old.code == warning.code; });
  if (!known) warnings.push_back(std::move(warning));
}

std::string Rows(const std::vector<std::uint32_t>& rows) {
  std::string text;
  for (const std::uint32_t row : rows) text += (text.empty() ? "" : ", ") + std::to_string(row);
  return text;
}

std::string Duration(double hours) {
  return hours >= 1 ? Sentence("%.3g h", hours) : Sentence("%.2g min", hours * 60);
}

void AddHost(const RunFacts& facts, Warnings& warnings) {
  const HostChoice& host = facts.host;
  if (host.host.cores == 0) return;  // nobody asked it yet
  if (host.asked_for_more) {
    Add(warnings, {"ceilingLowered", "the host has less than the ceiling that was asked for",
                   "profile on a larger machine if production has more"});
  }
  if (host.cpuset.is_whole()) {
    Add(warnings,
        {"sharedCores", "the model shares its cores with what drives it: the host has fewer than 4",
         "profile on a machine of 4 cores or more for quieter figures"});
  }
  for (const Warning& warning : facts.image) Add(warnings, warning);
}

// A model that was held back by its set tells how much of it it wanted.
void AddCpuset(const RunFacts& facts, Warnings& warnings) {
  const HostChoice& host = facts.host;
  if (host.cpuset.is_whole() || !facts.load) return;
  const Cores set(static_cast<double>(host.cpuset.cores()));
  const Cores wanted = FirstAnswer(NeedOf(facts), host.ceiling.With(Cores(1e6))).cpu();
  if (host.ceiling.cpu() < set || wanted <= set) return;
  Add(warnings,
      {"cpusetExceeded",
       Sentence("the load wants about %.1f cores and the model had %d of this host's %d; a model "
                "that sees the whole host may start more threads than this one did",
                wanted.value(), host.cpuset.cores(), host.host.cores),
       "profile on a machine with more cores, or for less load in one container"});
}

void AddReplay(const RunFacts& facts, Warnings& warnings) {
  const auto asked = facts.objective.requests_per_second;
  const bool bound = (asked && phases::IsReplayBound(facts.replay, *asked)) ||
                     (facts.curve && facts.curve->replay_bound);
  if (bound) {
    Add(warnings, {"replayBound",
                   "this host can replay about " +
                       std::to_string(static_cast<long>(facts.replay->requests_per_second)) +
                       " requests/s at most, which hardly is the rate that was reached or asked",
                   "profile on a machine with more cores, or for a lower rate"});
  }
  if (facts.load && facts.load->late_ms) {
    Add(warnings, {"replayLate",
                   Sentence("1%% of the rows left more than %.1f ms behind their schedule",
                            *facts.load->late_ms),
                   "profile again when nothing else runs, or on a machine with more cores"});
  }
}

void AddStart(const RunFacts& facts, Warnings& warnings) {
  if (!facts.given.empty()) {
    std::string paths;
    std::string folders;
    for (const RefusedWrite& write : facts.given) {
      paths += (paths.empty() ? "" : ", ") + write.path;
      folders += (folders.empty() ? "" : ", ") + write.folder;
    }
    Add(warnings, {"writableFolder",
                   "the model writes to " + paths +
                       ", where its image is read-only; it was profiled with a copy of " + folders +
                       " that it may write to",
                   "name " + folders +
                       " in `writablePaths` of the inference config, or let it write to /tmp, HOME "
                       "or $TMPDIR"});
  }
  if (facts.warm_up && !facts.warm_up->steady) {
    Add(warnings, {"notSteady", "latency or CPU per request still changed when the warm-up ended",
                   kLongerBudget});
  }
}

void AddRows(const RunFacts& facts, Warnings& warnings) {
  if (!facts.kills.rows.empty()) {
    Add(warnings,
        {"rowKills",
         "rows that end the model were left out (zero-based): " + Rows(facts.kills.rows) + "; " +
             facts.kills.death,
         "send them to the model yourself; a limit on the size of a request may be what it lacks"});
  }
  const auto add_failed = [&](const std::optional<phases::FailedRows>& failed) {
    if (failed) Add(warnings, {"rowsFailed", failed->message, failed->advice});
  };
  if (facts.warm_up) add_failed(facts.warm_up->failed);
  if (facts.row_pass) add_failed(facts.row_pass->failed);
  if (facts.load) add_failed(facts.load->failed);
  if (facts.row_pass && facts.row_pass->sampled) {
    Add(warnings, {"rowsSampled",
                   std::to_string(facts.row_pass->replayed) + " of " + std::to_string(facts.rows) +
                       " rows were replayed, drawn at random; the others did not fit half of the "
                       "budget",
                   kLongerBudget});
  }
}

void AddMemory(const RunFacts& facts, std::optional<double> hours, Warnings& warnings) {
  if (facts.fatal_growth) {
    Add(warnings,
        {"leakSuspected", GrowthText(*facts.fatal_growth, static_cast<std::int64_t>(facts.rows)),
         GrowthAdvice()});
  }
  if (!Grows(facts)) return;
  std::string message =
      Sentence("memory grew by %.1f KiB a request over %lld requests and did not settle",
               facts.plateau->bytes_per_request.value_or(0) / 1024,
               static_cast<long long>(facts.plateau->requests));
  if (hours) message += "; at this rate the recommended limit is reached after " + Duration(*hours);
  // Caches fill and allocators settle, too, in more requests than a profile sends.
  const std::string if_it_lasts = facts.soak ? "" : "see with --soak 600 whether it goes on; then ";
  Add(warnings, {"leakSuspected", message,
                 if_it_lasts + "mend the leak, or restart the server before then: no limit lasts"});
}

std::vector<Visit> AllVisits(const std::vector<Look>& looks) {
  std::vector<Visit> visits;
  for (const Look& look : looks) {
    visits.insert(visits.end(), look.visits.begin(), look.visits.end());
  }
  return visits;
}

void AddDelayedAck(const RunFacts& facts, Warnings& warnings) {
  if (!facts.load || facts.objective.connections == ConnectionUse::kPerRequest) return;
  const phases::Reference& reference = facts.load->reference;
  const auto found = FindDelayedAck(AllVisits(reference.looks), AllVisits(reference.fresh_looks));
  if (!found) return;
  Add(warnings,
      {"delayedAck",
       Sentence(
           "%.0f%% of the responses over connections kept alive took %.0f ms, where the same "
           "rows take %.1f ms at other times: the server writes a response in pieces and waits "
           "for the first to be acknowledged, which its client puts off by 40 ms",
           found->share * 100, found->median_ms, found->quick_ms),
       "set TCP_NODELAY on the connections that the server accepts, or have it write head and body "
       "at once: no limit on CPU makes this faster"});
}

void AddWorkers(const RunFacts& facts, Warnings& warnings) {
  const auto workers = WorkersOf(facts);
  if (workers && !workers->complete()) {
    Add(warnings,
        {"workersNotReached",
         phases::NotReachedText(*workers) + "; what they take once they have one is not known",
         "see whether they take connections at all; with fewer workers each is reached sooner"});
  }
  int replaced = 0;
  for (const ContainerFacts& container : facts.containers) {
    if (container.use == Use::kObjective) replaced += container.workers_replaced;
  }
  if (replaced == 0) return;
  const char* ended = replaced == 1 ? " process of the model ended and made room for another"
                                    : " processes of the model ended and made room for others";
  std::string one_more;
  if (workers && workers->per_worker_memory) {
    one_more = Sentence("; one worker has %.0f MiB for itself", workers->per_worker_memory->mib());
  }
  Add(warnings,
      {"workersReplaced",
       std::to_string(replaced) + ended + " while it served, and no row broke of it" + one_more,
       facts.successors > Bytes()
           ? "the memory limit holds all of them twice: successors were there before those they "
             "replace had gone"
           : "where a new worker starts before the old one has ended (a reload), request the "
             "memory "
             "of one more"});
}

void AddProcesses(const RunFacts& facts, Warnings& warnings) {
  if (facts.curve && facts.curve->killed_at) {
    Add(warnings, {"overloadKills",
                   "the model died with " + std::to_string(*facts.curve->killed_at) +
                       " rows in flight, more than the objective asks for",
                   "let what stands before it hold back requests beyond `maxConcurrency`"});
  }
  int lost = 0;
  for (const ContainerFacts& container : facts.containers) {
    // What more load than was asked for ends is no fault of the model.
    if (container.use == Use::kObjective) lost += container.workers_lost;
  }
  if (lost > 0) {
    Add(warnings, {"workersLost",
                   std::to_string(lost) + (lost == 1 ? " process" : " processes") +
                       " of the model ended while it served",
                   "see the model's own log: mlprof profile logs"});
  }
  AddWorkers(facts, warnings);
  AddDelayedAck(facts, warnings);
  if (facts.pools && facts.pools->advice) {
    Add(warnings,
        {"threadPools",
         std::to_string(facts.pools->found.threads) +
             " threads share a limit below the host's cores: pools that count cores and not the "
             "quota are throttled by it",
         *facts.pools->advice});
  }
}

// Each instrument that failed, with its first reason.
void AddInstruments(const RunFacts& facts, Warnings& warnings) {
  struct Failed {
    std::size_t containers = 0;
    std::string why;
  };
  std::map<std::string, Failed> failed;
  for (const ContainerFacts& container : facts.containers) {
    std::set<std::string> here;
    for (const InstrumentFailure& failure : container.instrument_failures) {
      Failed& instrument = failed[failure.instrument];
      if (instrument.why.empty()) instrument.why = failure.why;
      if (here.insert(failure.instrument).second) ++instrument.containers;
    }
  }
  if (failed.empty()) return;
  std::string message;
  for (const auto& [name, instrument] : failed) {
    message += (message.empty() ? "" : "; ") + name + " failed in " +
               std::to_string(instrument.containers) + " of " +
               std::to_string(facts.containers.size()) + " containers: " + instrument.why;
  }
  Add(warnings,
      {"instrumentFailed", message, "what it reads is missing or in part; see the server's log"});
}

}  // namespace

Warnings WarningsOf(const RunFacts& facts, std::optional<double> hours_to_out_of_memory) {
  Warnings warnings;
  AddHost(facts, warnings);
  AddReplay(facts, warnings);
  for (Warning& warning : NoiseWarnings(facts)) Add(warnings, std::move(warning));
  AddStart(facts, warnings);
  AddRows(facts, warnings);
  for (Warning& warning : ColdWarnings(facts)) Add(warnings, std::move(warning));
  AddMemory(facts, hours_to_out_of_memory, warnings);
  AddCpuset(facts, warnings);
  AddProcesses(facts, warnings);
  AddInstruments(facts, warnings);
  for (Warning& warning : DeviceWarnings(facts)) Add(warnings, std::move(warning));
  for (Warning& warning : SizingWarnings(facts)) Add(warnings, std::move(warning));
  for (Warning& warning : ProofWarnings(facts)) Add(warnings, std::move(warning));
  if (const auto tail = TailWarning(facts)) Add(warnings, *tail);
  if (facts.captures) {
    // One for each load that failed in its own way.
    const auto& missing = facts.captures->missing;
    warnings.insert(warnings.end(), missing.begin(), missing.end());
  }
  return warnings;
}

}  // namespace mlprof::server
