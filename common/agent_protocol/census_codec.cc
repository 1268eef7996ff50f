#include <algorithm>

#include "common/agent_protocol/codec.h"
#include "common/agent_protocol/wire.h"

namespace mlprof::agent_protocol {
namespace {

constexpr std::size_t kProcessBytes = 58;
static_assert(kMaxProcesses * kProcessBytes + 17 <= (8u << 10), "a whole census fits its frame");

void PutProcess(WireWriter& w, const ModelProcess& process) {
  w.Put(process.pid);
  w.Put(process.parent);
  w.Put(process.started);
  w.Put(process.cpu_time);
  w.Put(process.resident.count());
  w.Put(static_cast<std::uint8_t>(process.private_memory.has_value()));
  w.Put(process.private_memory.value_or(Bytes(0)).count());
  w.Put(static_cast<std::uint8_t>(process.listens));
  w.Put(process.program);
}

// What no machine has would overflow the sums that are made of it.
bool IsSensible(Bytes size) { return size >= Bytes(0) && size <= GiB(std::int64_t{1} << 20); }

bool IsSensible(std::chrono::nanoseconds time) {
  return time >= std::chrono::nanoseconds(0) && time <= std::chrono::hours(24 * 365 * 100);
}

bool GetProcess(WireReader& in, ModelProcess& process) {
  process.pid = in.Get<std::int64_t>();
  process.parent = in.Get<std::int64_t>();
  process.started = in.Nanoseconds();
  process.cpu_time = in.Nanoseconds();
  process.resident = Bytes(in.Get<std::int64_t>());
  const bool known = in.Flag();
  const Bytes private_memory(in.Get<std::int64_t>());
  if (known) process.private_memory = private_memory;
  const auto listens = in.Get<std::uint8_t>();
  process.listens = static_cast<Listens>(listens);
  process.program = in.Get<std::uint64_t>();
  return listens <= static_cast<std::uint8_t>(Listens::kUnknown) && IsSensible(process.resident) &&
         IsSensible(private_memory) && IsSensible(process.started) && IsSensible(process.cpu_time);
}

}  // namespace

void Append(std::string& out, const CensusQuestion& question) {
  FrameScope frame(out, FrameType::kCensusQuestion);
  WireWriter(out).Put(question.number);
}

Result<CensusQuestion> DecodeCensusQuestion(std::string_view payload) {
  WireReader in(payload);
  const CensusQuestion question{in.Get<std::uint32_t>()};
  if (!in.Finished()) return Fail(InvalidArgument("malformed census question frame"));
  return question;
}

void Append(std::string& out, const Processes& processes) {
  FrameScope frame(out, FrameType::kProcesses);
  WireWriter w(out);
  const std::size_t told = std::min(processes.processes.size(), kMaxProcesses);
  w.Put(processes.number);
  w.Put(processes.at);
  w.Put(static_cast<std::uint8_t>(processes.more || told < processes.processes.size()));
  w.Put(static_cast<std::uint32_t>(told));
  for (std::size_t i = 0; i < told; ++i) PutProcess(w, processes.processes[i]);
}

Result<Processes> DecodeProcesses(std::string_view payload) {
  WireReader in(payload);
  Processes processes;
  processes.number = in.Get<std::uint32_t>();
  processes.at = in.Nanoseconds();
  processes.more = in.Flag();
  const auto count = in.Count(kProcessBytes);
  bool sensible = count <= kMaxProcesses;
  for (std::uint32_t i = 0; i < count && sensible && in.ok(); ++i) {
    sensible = GetProcess(in, processes.processes.emplace_back());
  }
  if (!sensible || !in.Finished()) return Fail(InvalidArgument("malformed processes frame"));
  return processes;
}

}  // namespace mlprof::agent_protocol
