#include "server/analysis/worker_coverage.h"

#include <algorithm>

namespace mlprof::server {
namespace {

using agent_protocol::Listens;
using agent_protocol::ModelProcess;
using agent_protocol::Processes;

// Of a row's mean CPU time: rows differ, and the lightest must count. Chosen, not measured.
constexpr double kShareOfRow = 0.5;
// What an idle server wakes up for is no row: uvicorn looks around ten times a second, which takes
// less than a thousandth of a core; this is over twice that. Chosen, not measured.
constexpr double kIdleCores = 0.0025;
// A process that only wakes up, finds no connection left and sleeps again takes some 20
// microseconds; where a row's CPU is not known or less than that, a row takes at least this.
constexpr double kLeastRowSeconds = 100e-6;

const ModelProcess* FindProcess(const Processes& census, std::int64_t pid) {
  const auto found = std::find_if(census.processes.begin(), census.processes.end(),
                                  [&](const ModelProcess& process) { return process.pid == pid; });
  return found == census.processes.end() ? nullptr : &*found;
}

bool IsAncestor(const Processes& census, std::int64_t of, std::int64_t candidate) {
  // No more steps than processes: two ids that were read while one was taken anew may form a ring.
  std::size_t steps = 0;
  for (const ModelProcess* at = FindProcess(census, of); at != nullptr;
       at = FindProcess(census, at->parent)) {
    if (at->parent == candidate) return true;
    if (++steps > census.processes.size()) return false;
  }
  return false;
}

bool HasChildren(const Processes& census, const ModelProcess& process) {
  return std::any_of(census.processes.begin(), census.processes.end(),
                     [&](const ModelProcess& other) { return other.parent == process.pid; });
}

bool HasTwin(const Processes& census, const ModelProcess& process) {
  return std::any_of(census.processes.begin(), census.processes.end(),
                     [&](const ModelProcess& other) {
                       return other.pid != process.pid && other.parent == process.parent &&
                              other.program == process.program;
                     });
}

bool MayServe(const Processes& census, const ModelProcess& process) {
  switch (process.listens) {
    case Listens::kYes: return true;
    case Listens::kNo: return false;
    case Listens::kUnknown: break;
  }
  return !HasChildren(census, process) && HasTwin(census, process);
}

std::vector<ModelProcess> Candidates(const Processes& census) {
  std::vector<ModelProcess> candidates;
  for (const ModelProcess& process : census.processes) {
    if (MayServe(census, process)) candidates.push_back(process);
  }
  return candidates;
}

bool IsMaster(const Processes& census, const std::vector<ModelProcess>& candidates,
              const ModelProcess& process) {
  return std::any_of(candidates.begin(), candidates.end(), [&](const ModelProcess& other) {
    return IsAncestor(census, other.pid, process.pid);
  });
}

std::optional<Bytes> Median(std::vector<Bytes> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<ModelProcess> ServingProcesses(const Processes& census) {
  const std::vector<ModelProcess> candidates = Candidates(census);
  std::vector<ModelProcess> serving = candidates;
  std::erase_if(serving,
                [&](const ModelProcess& process) { return IsMaster(census, candidates, process); });
  return serving;
}

void WorkerWatch::See(const Processes& census, std::int64_t rows) {
  const bool first = seen_.empty();
  for (const ModelProcess& process : census.processes) {
    seen_.emplace(IdentityOf(process), Seen{process, census.at});
  }
  for (const ModelProcess& process : ServingProcesses(census)) {
    serving_.insert(IdentityOf(process));
    if (first) first_.insert(IdentityOf(process));
  }
  last_ = census;
  rows_ = rows;
}

double WorkerWatch::Risen(const ModelProcess& process) const {
  const auto known = seen_.find(IdentityOf(process));
  if (known == seen_.end()) return 0;
  const Seen& seen = known->second;
  const auto used = std::chrono::duration<double>(process.cpu_time - seen.first.cpu_time).count();
  return used - kIdleCores * std::chrono::duration<double>(last_.at - seen.at).count();
}

bool WorkerWatch::HasBurnedARow(const ModelProcess& process) const {
  const double row = std::max(row_seconds_.value_or(0), kLeastRowSeconds);
  return Risen(process) >= kShareOfRow * row;
}

// A server that is one process may have forked helpers, which hold its socket too and never accept:
// then it is the parent that burns what the rows take.
const ModelProcess* WorkerWatch::ParentThatServes() const {
  const std::vector<ModelProcess> candidates = Candidates(last_);
  const double all_rows =
      static_cast<double>(rows_) * std::max(row_seconds_.value_or(0), kLeastRowSeconds);
  for (const ModelProcess& process : candidates) {
    if (!IsMaster(last_, candidates, process)) continue;
    if (rows_ > 0 && Risen(process) >= kShareOfRow * all_rows) {
      return FindProcess(last_, process.pid);
    }
  }
  return nullptr;
}

WorkerCoverage WorkerWatch::Coverage() const {
  std::vector<ModelProcess> serving = ServingProcesses(last_);
  const auto burned = [this](const ModelProcess& process) { return HasBurnedARow(process); };
  if (std::none_of(serving.begin(), serving.end(), burned)) {
    if (const ModelProcess* parent = ParentThatServes()) serving = {*parent};
  }
  WorkerCoverage coverage;
  coverage.count = static_cast<int>(serving.size());
  const auto risen = static_cast<int>(std::count_if(serving.begin(), serving.end(), burned));
  coverage.risen = risen == coverage.count;
  for (const Identity& identity : serving_) {
    const auto* now = FindProcess(last_, identity.first);
    coverage.replaced += now == nullptr || IdentityOf(*now) != identity;
  }
  const auto renewed = std::count_if(serving.begin(), serving.end(), [&](const auto& process) {
    return !burned(process) && !first_.contains(IdentityOf(process));
  });
  coverage.reached = risen + std::min(coverage.replaced, static_cast<int>(renewed));
  std::vector<Bytes> memory;
  for (const ModelProcess& process : serving) {
    if (process.private_memory && burned(process)) memory.push_back(*process.private_memory);
  }
  coverage.per_worker_memory = Median(std::move(memory));
  // Those that listen are told first: where the last one told does not, none that serves is left
  // out.
  coverage.untold =
      last_.more && !last_.processes.empty() && last_.processes.back().listens != Listens::kNo;
  return coverage;
}

}  // namespace mlprof::server
