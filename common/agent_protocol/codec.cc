#include "common/agent_protocol/codec.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/agent_protocol/wire.h"

namespace mlprof::agent_protocol {
namespace {

template <class T>
Result<T> Checked(const WireReader& in, T message, const char* what) {
  if (!in.Finished()) return Fail(InvalidArgument(std::string("malformed ") + what + " frame"));
  return message;
}

Bytes GetBytes(WireReader& in) { return Bytes(in.Get<std::int64_t>()); }

// A flag, and the value or a zero that says nothing.
template <class T>
void PutOptional(WireWriter& w, const std::optional<T>& value) {
  w.Put(static_cast<std::uint8_t>(value.has_value()));
  if constexpr (std::is_same_v<T, Bytes>) {
    w.Put(value.value_or(Bytes(0)).count());
  } else {
    w.Put(value.value_or(T{}));
  }
}

template <class Read>
auto GetOptional(WireReader& in, Read read) {
  const bool has_value = in.Flag();
  auto value = read(in);
  return has_value ? std::optional(value) : std::nullopt;
}

std::chrono::nanoseconds GetTime(WireReader& in) { return in.Nanoseconds(); }
double GetDouble(WireReader& in) { return in.Get<double>(); }

}  // namespace

void Append(std::string& out, const Hello& hello) {
  FrameScope frame(out, FrameType::kHello);
  WireWriter w(out);
  w.Put(static_cast<std::int32_t>(hello.version));
  w.Put(hello.pid);
  w.Put(static_cast<std::int32_t>(hello.cgroup_version));
  w.Text(hello.agent_version);
}

Result<Hello> DecodeHello(std::string_view payload) {
  WireReader in(payload);
  Hello hello;
  hello.version = in.Get<std::int32_t>();
  if (in.ok() && hello.version != kVersion) return hello;
  hello.pid = in.Get<std::int64_t>();
  hello.cgroup_version = in.Get<std::int32_t>();
  hello.agent_version = in.Text();
  return Checked(in, std::move(hello), "hello");
}

void Append(std::string& out, const ClockProbe& probe) {
  FrameScope frame(out, FrameType::kClockProbe);
  WireWriter(out).Put(probe.number);
}

Result<ClockProbe> DecodeClockProbe(std::string_view payload) {
  WireReader in(payload);
  const ClockProbe probe{in.Get<std::uint32_t>()};
  return Checked(in, probe, "clock probe");
}

void Append(std::string& out, const ClockReading& reading) {
  FrameScope frame(out, FrameType::kClockReading);
  WireWriter w(out);
  w.Put(reading.number);
  w.Put(reading.at);
}

Result<ClockReading> DecodeClockReading(std::string_view payload) {
  WireReader in(payload);
  ClockReading reading;
  reading.number = in.Get<std::uint32_t>();
  reading.at = in.Nanoseconds();
  return Checked(in, reading, "clock reading");
}

void Append(std::string& out, const Ready& ready) {
  FrameScope frame(out, FrameType::kReady);
  WireWriter w(out);
  w.Put(ready.took);
  w.Put(ready.cpu_time);
  w.Put(ready.peak_unreclaimable.count());
  w.Put(static_cast<std::int32_t>(ready.processes));
  w.Put(static_cast<std::int32_t>(ready.threads));
  const auto pools = std::min(ready.thread_pools.size(), kMaxThreadPools);
  w.Put(static_cast<std::uint32_t>(pools));
  for (std::size_t i = 0; i < pools; ++i) {
    w.Text(std::string_view(ready.thread_pools[i]).substr(0, kMaxThreadPoolName));
  }
  w.Put(ready.address_space.count());
}

Result<Ready> DecodeReady(std::string_view payload) {
  WireReader in(payload);
  Ready ready;
  ready.took = in.Nanoseconds();
  ready.cpu_time = in.Nanoseconds();
  ready.peak_unreclaimable = GetBytes(in);
  ready.processes = in.Get<std::int32_t>();
  ready.threads = in.Get<std::int32_t>();
  for (auto left = in.Count(4); left > 0 && in.ok(); --left) {
    ready.thread_pools.emplace_back(in.Text());
  }
  ready.address_space = GetBytes(in);
  return Checked(in, std::move(ready), "ready");
}

void Append(std::string& out, const Connections& connections) {
  FrameScope frame(out, FrameType::kConnections);
  WireWriter w(out);
  w.Put(static_cast<std::uint8_t>(connections.policy));
  w.Put(static_cast<std::uint32_t>(connections.held));
}

Result<Connections> DecodeConnections(std::string_view payload) {
  WireReader in(payload);
  const auto policy = in.Get<std::uint8_t>();
  const auto held = in.Get<std::uint32_t>();
  const bool holds = policy == static_cast<std::uint8_t>(Connections::Policy::kManyHeld);
  const bool sensible = holds ? held >= 1 && held <= kMaxConnections : policy < 2 && held == 0;
  if (!sensible) return Fail(InvalidArgument("malformed connections frame"));
  const Connections connections{static_cast<Connections::Policy>(policy), static_cast<int>(held)};
  return Checked(in, connections, "connections");
}

void Append(std::string& out, const Row& row) {
  FrameScope frame(out, FrameType::kRow);
  WireWriter w(out);
  w.Put(row.id);
  w.Put(static_cast<std::uint8_t>(row.attribute));
  w.Put(row.due);
  w.Put(row.most_in_flight);
  out.append(row.body);
}

Result<RowView> DecodeRow(std::string_view payload) {
  WireReader in(payload);
  RowView row;
  row.id = in.Get<std::uint64_t>();
  row.attribute = in.Flag();
  row.due = in.Nanoseconds();
  row.most_in_flight = in.Get<std::uint32_t>();
  row.body = in.Rest();
  if (row.body.size() > kMaxRowBody) return Fail(InvalidArgument("a row's body is too large"));
  return Checked(in, row, "row");
}

void Append(std::string& out, const Response& response) {
  FrameScope frame(out, FrameType::kResponse);
  WireWriter w(out);
  w.Put(response.id);
  w.Put(static_cast<std::uint8_t>(response.failure));
  w.Put(static_cast<std::uint16_t>(response.http_status));
  w.Put(response.read_at);
  w.Put(response.sent);
  w.Put(response.first_byte);
  w.Put(response.last_byte);
  PutOptional(w, response.cpu_time);
  PutOptional(w, response.peak_rise);
  w.Put(response.body_bytes);
  out.append(response.excerpt, 0, std::min(response.excerpt.size(), kMaxExcerpt));
}

Result<Response> DecodeResponse(std::string_view payload) {
  WireReader in(payload);
  Response response;
  response.id = in.Get<std::uint64_t>();
  const auto failure = in.Get<std::uint8_t>();
  response.failure = static_cast<RowFailure>(failure);
  response.http_status = in.Get<std::uint16_t>();
  response.read_at = in.Nanoseconds();
  response.sent = in.Nanoseconds();
  response.first_byte = in.Nanoseconds();
  response.last_byte = in.Nanoseconds();
  response.cpu_time = GetOptional(in, GetTime);
  response.peak_rise = GetOptional(in, GetBytes);
  response.body_bytes = in.Get<std::uint64_t>();
  response.excerpt = in.Rest();
  if (failure > static_cast<std::uint8_t>(RowFailure::kTooLarge) || response.http_status > 999 ||
      response.excerpt.size() > kMaxExcerpt) {
    return Fail(InvalidArgument("malformed response frame"));
  }
  return Checked(in, std::move(response), "response");
}

void Append(std::string& out, const Sample& sample) {
  FrameScope frame(out, FrameType::kSample);
  WireWriter w(out);
  w.Put(sample.at);
  w.Put(sample.cpu_time);
  w.Put(sample.periods);
  w.Put(sample.throttled_periods);
  w.Put(sample.throttled_time);
  w.Put(sample.usage.count());
  w.Put(sample.unreclaimable.count());
  w.Put(sample.cache.count());
  w.Put(sample.processes);
  w.Put(sample.oom_kills);
  PutOptional(w, sample.host_cpu_pressure);
  w.Put(sample.agent_cpu_time);
  w.Put(sample.agent_memory.count());
  PutOptional(w, sample.peak_unreclaimable);
  w.Put(sample.mapped_file.count());
  w.Put(sample.file_refaults);
  w.Put(sample.major_faults);
  PutOptional(w, sample.memory_stall);
  PutOptional(w, sample.run_queue_wait);
  PutOptional(w, sample.uncharged_file);
}

Result<Sample> DecodeSample(std::string_view payload) {
  WireReader in(payload);
  Sample sample;
  sample.at = in.Nanoseconds();
  sample.cpu_time = in.Nanoseconds();
  sample.periods = in.Get<std::int64_t>();
  sample.throttled_periods = in.Get<std::int64_t>();
  sample.throttled_time = in.Nanoseconds();
  sample.usage = GetBytes(in);
  sample.unreclaimable = GetBytes(in);
  sample.cache = GetBytes(in);
  sample.processes = in.Get<std::int64_t>();
  sample.oom_kills = in.Get<std::int64_t>();
  sample.host_cpu_pressure = GetOptional(in, GetDouble);
  sample.agent_cpu_time = in.Nanoseconds();
  sample.agent_memory = GetBytes(in);
  sample.peak_unreclaimable = GetOptional(in, GetBytes);
  sample.mapped_file = GetBytes(in);
  sample.file_refaults = in.Get<std::int64_t>();
  sample.major_faults = in.Get<std::int64_t>();
  sample.memory_stall = GetOptional(in, GetTime);
  sample.run_queue_wait = GetOptional(in, GetTime);
  sample.uncharged_file = GetOptional(in, GetBytes);
  return Checked(in, sample, "sample");
}

void Append(std::string& out, const ProcessEvent& event) {
  constexpr std::size_t kMaxDetail = 8u << 10;
  constexpr std::size_t kMaxFolder = 4u << 10;
  FrameScope frame(out, FrameType::kProcessEvent);
  WireWriter w(out);
  w.Put(static_cast<std::uint8_t>(event.kind));
  w.Put(event.pid);
  w.Put(static_cast<std::int32_t>(event.exit_code));
  w.Put(static_cast<std::int32_t>(event.signal));
  w.Put(event.oom_kills);
  w.Text(std::string_view(event.detail).substr(0, kMaxDetail));
  w.Text(std::string_view(event.folder).substr(0, kMaxFolder));
}

Result<ProcessEvent> DecodeProcessEvent(std::string_view payload) {
  WireReader in(payload);
  ProcessEvent event;
  const auto kind = in.Get<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(ProcessEvent::Kind::kToldToEnd)) {
    return Fail(InvalidArgument("malformed process event frame"));
  }
  event.kind = static_cast<ProcessEvent::Kind>(kind);
  event.pid = in.Get<std::int64_t>();
  event.exit_code = in.Get<std::int32_t>();
  event.signal = in.Get<std::int32_t>();
  event.oom_kills = in.Get<std::int64_t>();
  event.detail = in.Text();
  event.folder = in.Text();
  return Checked(in, std::move(event), "process event");
}

void Append(std::string& out, const Stop& stop) {
  FrameScope frame(out, FrameType::kStop);
  WireWriter(out).Put<std::int64_t>(stop.grace.count());
}

Result<Stop> DecodeStop(std::string_view payload) {
  WireReader in(payload);
  Stop stop;
  stop.grace = std::chrono::milliseconds(in.Get<std::int64_t>());
  if (stop.grace.count() < 0) return Fail(InvalidArgument("malformed stop frame"));
  return Checked(in, stop, "stop");
}

}  // namespace mlprof::agent_protocol
