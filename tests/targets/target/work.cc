#include "tests/targets/target/work.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

namespace target {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

std::chrono::nanoseconds FromMs(double amount) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Milliseconds(amount));
}

std::size_t FromKib(double amount) { return static_cast<std::size_t>(amount * 1024); }

void Sleep(double milliseconds) { std::this_thread::sleep_for(Milliseconds(milliseconds)); }

// The number of the word rowN.
std::optional<int> RowNumber(const std::string& request) {
  std::istringstream words(request);
  for (std::string word; words >> word;) {
    if (!word.starts_with("row") || word.size() == 3) continue;
    if (word.find_first_not_of("0123456789", 3) == std::string::npos) {
      return std::atoi(word.c_str() + 3);
    }
  }
  return std::nullopt;
}

// Children that only exist; they end with the container.
void ForkSleepers(int count) {
  for (int i = 0; i < count; ++i) {
    if (fork() != 0) continue;
    while (true) pause();
  }
}

}  // namespace

bool Append(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

Model::Model(const Options& options)
    : options_(options), weights_(options.map_file), cache_(Mebibytes(options.cache_max_mib)) {
  if (options.pool_threads > 0) pool_.emplace(options.pool_threads, options.pool_spins);
  if (options.heap_share > 0) {
    const auto most = static_cast<double>(MemoryLimit()) * options.heap_share;
    heap_.emplace(static_cast<std::size_t>(most), Mebibytes(options.heap_live_mib));
  }
  if (options.worker_mib > 0) Keep(Mebibytes(options.worker_mib));
}

bool Model::Cost(std::string_view name, double amount, double second) {
  if (name == "burn") {
    pool_ ? pool_->Burn(FromMs(amount)) : Burn(FromMs(amount));
  } else if (name == "sleep") {
    Sleep(amount);
  } else if (name == "alloc" || name == "spike") {
    const Touched memory(FromKib(amount * 1024));
    if (second > 0) Sleep(second);
  } else if (name == "keep") {
    Keep(FromKib(amount * 1024));
  } else if (name == "leak") {
    Leak(FromKib(amount));
  } else {
    return false;
  }
  return true;
}

bool Model::Misbehave(std::string_view name, double amount, double second, Outcome& outcome) {
  if (name == "status") {
    outcome.status = static_cast<int>(amount);
  } else if (name == "die") {
    std::abort();
  } else if (name == "segv") {
    std::raise(SIGSEGV);
  } else if (name == "hang") {
    outcome.manner = Manner::kNever;
  } else if (name == "garbage") {
    outcome.manner = Manner::kGarbage;
  } else if (name == "close") {
    outcome.manner = Manner::kNothing;
  } else if (name == "half") {
    outcome.manner = Manner::kHalf;
  } else if (name == "stream") {
    outcome.manner = Manner::kChunks;
    outcome.chunk_period = std::chrono::milliseconds(static_cast<int>(amount));
    outcome.chunks = static_cast<int>(second);
  } else if (name == "big") {
    outcome.body.assign(FromKib(amount * 1024), 'x');
  } else if (name == "fork") {
    ForkSleepers(static_cast<int>(amount));
  } else {
    return false;
  }
  return true;
}

void Model::FirstVisit(const std::string& request, double cpu_ms) {
  {
    const std::lock_guard lock(mutex_);
    if (!visited_.insert(request).second) return;
  }
  Burn(FromMs(cpu_ms));
}

bool Model::InOrder(const std::string& request) {
  const std::optional<int> row = RowNumber(request);
  const std::lock_guard lock(mutex_);
  if (!row) return true;
  if (*row < last_row_) return false;
  last_row_ = *row;
  return true;
}

void Model::Write(Outcome& outcome) const {
  if (Append(options_.write_dir + "/rows", "row\n")) return;
  outcome.status = 500;
  outcome.body = std::string("cannot write: ") + std::strerror(errno);
}

void Model::UseHeap(double mebibytes, Outcome& outcome) {
  if (!heap_ || heap_->Take(FromKib(mebibytes * 1024))) return;
  outcome.status = 500;
  outcome.body = "java.lang.OutOfMemoryError: Java heap space";
}

Outcome Model::Respond(const std::string& request) {
  if (options_.in_order && !InOrder(request)) {
    Outcome refused;
    refused.status = 500;
    refused.body = "a later row was answered before";
    return refused;
  }
  if (!options_.response_cache) return Work(request);
  {
    const std::lock_guard lock(mutex_);
    const auto known = responses_.find(request);
    if (known != responses_.end()) return known->second;
  }
  Outcome outcome = Work(request);
  const std::lock_guard lock(mutex_);
  responses_.emplace(request, outcome);
  return outcome;
}

Outcome Model::Work(const std::string& request) {
  const std::chrono::nanoseconds began = ThreadCpu();
  Outcome outcome;
  if (options_.worker_lazy_mib > 0) {
    std::call_once(loaded_, [this] { Keep(Mebibytes(options_.worker_lazy_mib)); });
  }
  if (!options_.map_file.empty()) weights_.Read(options_.map_share);
  std::istringstream words(request);
  std::string word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::size_t colon = word.find(':');
    const std::string name = word.substr(0, equals);
    const auto number = [&](std::size_t at) {
      return at == std::string::npos ? 0 : std::atof(word.c_str() + at + 1);
    };
    if (name == "write") Write(outcome);
    if (name == "heap") UseHeap(number(equals), outcome);
    if (name == "first") FirstVisit(request, number(equals));
    if (name == "cache") cache_.Keep(request, FromKib(number(equals)));
    if (!Cost(name, number(equals), number(colon))) {
      Misbehave(name, number(equals), number(colon), outcome);
    }
  }
  if (outcome.body.empty()) {
    outcome.body = "{\"cpuNanoseconds\":" + std::to_string((ThreadCpu() - began).count()) +
                   ",\"process\":" + std::to_string(getpid()) + "}";
  }
  return outcome;
}

}  // namespace target
