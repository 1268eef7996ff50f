#include "tests/fakes/fake_agent_link.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>

namespace mlprof::server {

namespace {

constexpr std::chrono::microseconds kNullTarget{100};
constexpr double kThrashing = 10;
constexpr std::chrono::milliseconds kWordOfDeath{200};
constexpr std::chrono::seconds kStanding{2};

}  // namespace

FakeAgentLink::FakeAgentLink(FakeModel model, Limits limits, std::optional<RefusedWrite> refused,
                             FakeClock& clock)
    : model_(std::move(model)),
      ports_(model_.ports),
      refused_(std::move(refused)),
      clock_(clock),
      started_(clock.Now()),
      read_at_(started_),
      millicores_(limits.cpu().millicores()),
      memory_limit_(limits.memory().count()),
      workers_(static_cast<std::size_t>(model_.workers)),
      thread_([this](std::stop_token stop) { Run(stop); }) {
  const std::lock_guard lock(mutex_);
  if (model_.thread_a_core) model_.threads = static_cast<int>(std::ceil(limits.cpu().value()));
  for (Worker& worker : workers_) worker = NewWorker();
}

void FakeAgentLink::SetConnections(const agent_protocol::Connections& connections) {
  Post([this, connections](AgentListener&) { connections_ = connections; });
}

void FakeAgentLink::TakeCensus(const agent_protocol::CensusQuestion& question) {
  Post([this, question](AgentListener& listener) {
    if (dead_) return;
    agent_protocol::Processes processes = Census();
    processes.number = question.number;
    listener.OnProcesses(processes);
  });
}

agent_protocol::Processes FakeAgentLink::Census() const {
  agent_protocol::Processes census;
  census.at = clock_.Now();
  agent_protocol::ModelProcess master;
  master.pid = 10;
  master.parent = 1;
  master.listens = agent_protocol::Listens::kYes;
  census.processes.push_back(master);
  if (workers_.size() < 2) return census;
  for (const Worker& worker : workers_) {
    agent_protocol::ModelProcess process = master;
    process.pid = worker.pid;
    process.parent = master.pid;
    process.cpu_time = worker.cpu_time;
    process.private_memory = MiB(10) + (worker.loaded ? model_.worker_load : Bytes());
    census.processes.push_back(process);
  }
  return census;
}

FakeAgentLink::Worker& FakeAgentLink::NextWorker() {
  using Policy = agent_protocol::Connections::Policy;
  if (connections_.policy != Policy::kManyHeld) return workers_.front();
  const auto reached = std::min(workers_.size(), static_cast<std::size_t>(model_.workers_reached));
  return workers_[turn_++ % std::max<std::size_t>(1, reached)];
}

void FakeAgentLink::ReplaceIfDue(AgentListener& listener, Worker& worker) {
  if (++worker.rows < model_.rows_of_a_worker.value_or(1 << 30)) return;
  worker = NewWorker();
  TellChildDied(listener);
}

FakeAgentLink::~FakeAgentLink() {
  thread_.request_stop();
  thread_.join();
  for (std::size_t i = 0; i < actions_.size(); ++i) clock_.EndWork();
}

void FakeAgentLink::Listen(AgentListener* listener) {
  std::unique_lock lock(mutex_);
  listener_ = listener;
  changed_.notify_all();
  if (std::this_thread::get_id() != thread_.get_id()) {
    changed_.wait(lock, [this] { return !delivering_; });
  }
}

void FakeAgentLink::Start(const agent_protocol::Start& start) {
  const auto& command = start.command;
  const bool null = std::find(command.begin(), command.end(), "--null-server") != command.end();
  Post([this, null, watched = start.watch_writes, environment = start.environment,
        timeout = start.start_timeout](AgentListener& listener) {
    null_target_ = null;
    begins_ = null || model_.begins(environment);
    watched_ = watched;
    const auto openmp = environment.find("OMP_NUM_THREADS");
    const bool heard = model_.obeys_openmp && openmp != environment.end();
    if (heard) model_.threads = std::stoi(openmp->second);
    BeReady(listener, timeout);
  });
}

void FakeAgentLink::SendRow(agent_protocol::Row row) {
  Post([this, row = std::move(row)](AgentListener& listener) {
    if (row.due > clock_.Now()) clock_.Pass(row.due - clock_.Now());
    Respond(listener, row);
  });
}

void FakeAgentLink::Stop(const agent_protocol::Stop&) {
  Post([this](AgentListener& listener) { Die(listener, 0, SIGTERM); });
}

void FakeAgentLink::SetCpu(Cores cpu) { millicores_ = cpu.millicores(); }

void FakeAgentLink::SetMemory(Bytes memory) { memory_limit_ = memory.count(); }

void FakeAgentLink::Close() {
  Post([this](AgentListener& listener) {
    dead_ = true;
    ports_.End(Unavailable("the connection broke"));
    listener.OnClosed(Unavailable("the connection broke"));
  });
}

void FakeAgentLink::TellToEnd(bool drains) {
  Post([this, drains](AgentListener& listener) {
    agent_protocol::ProcessEvent told;
    told.kind = agent_protocol::ProcessEvent::Kind::kToldToEnd;
    told.signal = SIGTERM;
    listener.OnProcessEvent(told);
    drains_ = drains;
    if (!drains) Die(listener, 0, 0);
  });
}

void FakeAgentLink::Post(Action action) {
  const std::lock_guard lock(mutex_);
  clock_.BeginWork();
  actions_.push_back(std::move(action));
  changed_.notify_all();
}

void FakeAgentLink::Run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return listener_ != nullptr && !actions_.empty(); })) {
    const Action action = std::move(actions_.front());
    actions_.pop_front();
    AgentListener& listener = *listener_;
    delivering_ = true;
    lock.unlock();
    action(listener);
    clock_.EndWork();
    lock.lock();
    delivering_ = false;
    changed_.notify_all();
  }
}

double FakeAgentLink::Stretch() const {
  const double cores = static_cast<double>(millicores_.load()) / 1000;
  if (cores <= 1) return 1 / cores;
  const double used = std::min(cores, static_cast<double>(model_.threads));
  return 1 - model_.parallel_share + model_.parallel_share / used;
}

bool FakeAgentLink::Throttled() const {
  const double most = model_.parallel_share > 0 ? 1000.0 * model_.threads : 1000.0;
  return static_cast<double>(millicores_.load()) < most;
}

Bytes FakeAgentLink::Serving() const {
  const auto loaded = std::count_if(workers_.begin(), workers_.end(),
                                    [](const Worker& worker) { return worker.loaded; });
  return model_.serving_peak + heap_.peak() +
         Bytes(model_.leak_per_row.count() * std::min<std::int64_t>(rows_, model_.leaking_rows)) +
         Bytes(model_.worker_load.count() * loaded) +
         Bytes(model_.kept_per_row.count() * std::ssize(seen_));
}

std::chrono::microseconds FakeAgentLink::Visit(const std::string& body) {
  const auto left = std::max<std::int64_t>(0, model_.compiled_after - rows_);
  const auto contention = millicores_ > 1000 ? model_.contention : std::chrono::microseconds(0);
  const auto work = model_.cpu_per_row + contention +
                    model_.compiling * left / model_.compiled_after + model_.cpu_of_row(body);
  if (seen_.insert(body).second) return work + model_.first_visit_cpu;
  return model_.caches_responses ? kNullTarget : work;
}

bool FakeAgentLink::OutOfOrder(const std::string& body) {
  if (model_.never_goes_back) {
    const int row = std::stoi(body.substr(4));
    return std::exchange(furthest_row_, std::max(furthest_row_, row)) > row;
  }
  const std::string before = std::exchange(last_body_, body);
  if (!model_.wants_order || body == "row 0") return false;
  return !body.starts_with("row ") ||
         before != "row " + std::to_string(std::stoi(body.substr(4)) - 1);
}

// What was sent and not taken yet is rows, but for a stop at the end.
std::int64_t FakeAgentLink::WaitingRows() {
  const std::lock_guard lock(mutex_);
  return std::ssize(actions_);
}

void FakeAgentLink::RespondNull(AgentListener& listener, const agent_protocol::Row& row) {
  clock_.Pass(kNullTarget);
  agent_protocol::Response response;
  response.id = row.id;
  response.http_status = 200;
  listener.OnResponse(response);
}

void FakeAgentLink::Reset(AgentListener& listener, const agent_protocol::Row& row) {
  clock_.Pass(model_.cpu_per_row);
  agent_protocol::Response response;
  response.id = row.id;
  response.failure = agent_protocol::RowFailure::kReset;
  listener.OnResponse(response);
}

void FakeAgentLink::ResetAndDie(AgentListener& listener, const agent_protocol::Row& row) {
  if (!resetting_) Post([this](AgentListener& later) { Die(later, 0, SIGSEGV); });
  resetting_ = true;
  Reset(listener, row);
}

void FakeAgentLink::EndWorker(AgentListener& listener, const agent_protocol::Row& row,
                              bool for_memory) {
  const bool stood = !replaced_ || clock_.Now() - *replaced_ >= kStanding;
  replaced_ = clock_.Now();
  if (for_memory) listener.OnSample(Read(MemoryLimit()));
  Post([this, for_memory, stood](AgentListener& later) {
    clock_.Pass(kWordOfDeath);
    if (for_memory) TellOomKill(later);
    if (stood) TellChildDied(later);
  });
  Reset(listener, row);
}

// For longer than is watched, so that what was sampled before is none of it.
void FakeAgentLink::ReadBackForEver(AgentListener& listener) {
  for (int i = 0; i < 60; ++i) {
    clock_.Pass(std::chrono::milliseconds(100));
    refaults_ += 2000;
    listener.OnSample(Read(MemoryLimit()));
  }
}

void FakeAgentLink::Respond(AgentListener& listener, const agent_protocol::Row& row) {
  if (null_target_) return RespondNull(listener, row);
  if (dead_ || *model_.silent) return;
  if (MemoryLimit() < model_.stuck_below) return ReadBackForEver(listener);
  if (WaitingRows() >= model_.most_waiting) return clock_.Pass(std::chrono::seconds(5));
  ++rows_;
  Worker& worker = NextWorker();
  worker.loaded = true;
  const Bytes peak =
      Serving() + model_.rise(row.body) + Bytes(model_.per_waiting_row.count() * WaitingRows());
  if (MemoryLimit() < peak) {
    if (model_.forks) {
      worker = NewWorker();
      return EndWorker(listener, row, true);
    }
    oom_killed_ = true;
    return Die(listener, 0, SIGKILL);
  }
  const bool sheds = millicores_ < model_.sheds_below.millicores() && rows_ % 2 == 0;
  const bool full = !heap_.Take(MemoryLimit());
  const bool refuses = sheds || drains_;
  const bool fails = refuses || full || OutOfOrder(row.body);
  const int status = resetting_ ? 0 : fails ? (refuses ? 503 : 500) : model_.status(row.body);
  if (status < 0) return Reset(listener, row);
  if (status == 0 && model_.forks) return EndWorker(listener, row, false);
  if (status == 0 && model_.resets_first) return ResetAndDie(listener, row);
  if (status == 0) return Die(listener, 0, SIGSEGV);
  listener.OnSample(Read(Serving()));
  double stretch = Stretch();
  refaults_ += model_.pages_read_back;
  if (MemoryLimit() < peak + model_.rare_file) refaults_ += 5;
  if (MemoryLimit() < peak + model_.hot_file) {
    stretch *= kThrashing;
    refaults_ += 100;
  }
  const bool works = status == 200 || !model_.fails_for_nothing;
  const bool from_cache = model_.caches_responses && seen_.contains(row.body);
  const std::chrono::microseconds cpu =
      works ? Visit(row.body) + model_.collection * (heap_.collected() ? 1 : 0) : kNullTarget;
  const std::chrono::nanoseconds slept =
      from_cache ? kNullTarget * 0 : model_.sleep_per_row + model_.sleeps_more();
  const auto took =
      slept +
      std::max(std::chrono::duration_cast<std::chrono::nanoseconds>(cpu * stretch),
               std::chrono::nanoseconds(model_.parallel_share > 0 ? std::chrono::microseconds(0)
                                                                  : cpu + model_.held_up));
  run_queue_wait_ += model_.held_up;
  clock_.Pass(took);
  if (works) cpu_time_ += cpu;
  if (works) worker.cpu_time += cpu;
  Sample after = Read(Serving());
  after.peak_unreclaimable = peak;
  listener.OnSample(after);

  agent_protocol::Response response;
  response.id = row.id;
  response.http_status = status;
  response.first_byte = took;
  response.last_byte = took;
  if (row.attribute) {
    response.cpu_time = works ? cpu + model_.cpu_after_row : std::chrono::microseconds{0};
    response.peak_rise = model_.rise(row.body);
  }
  if (status != 200) response.excerpt = "no such thing";
  if (full && !model_.full_heap_words.empty()) response.excerpt = model_.full_heap_words;
  listener.OnResponse(response);
  ReplaceIfDue(listener, worker);
}

Sample FakeAgentLink::Read(Bytes memory) {
  Sample sample;
  sample.at = clock_.Now();
  sample.cpu_time = cpu_time_;
  sample.periods = (sample.at - started_) / std::chrono::milliseconds(100);
  // Counters, as the kernel's: a limit that changes says nothing about the periods before.
  if (Throttled()) {
    throttled_periods_ += sample.periods - periods_;
    throttled_time_ +=
        (sample.at - read_at_) * std::max<std::int64_t>(1, 1000 - millicores_) / 1000;
  }
  read_at_ = sample.at;
  periods_ = sample.periods;
  sample.throttled_periods = throttled_periods_;
  sample.throttled_time = throttled_time_;
  sample.unreclaimable = memory;
  sample.usage = memory;
  sample.processes = model_.threads;
  sample.mapped_file = model_.hot_file + model_.rare_file + model_.cold_file;
  sample.uncharged_file = model_.files_of_others;
  sample.file_refaults = refaults_;
  sample.run_queue_wait = run_queue_wait_;
  sample.oom_kills = oom_kills_;
  return sample;
}

}  // namespace mlprof::server
