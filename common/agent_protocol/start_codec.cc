#include "common/agent_protocol/codec.h"
#include "common/agent_protocol/wire.h"

namespace mlprof::agent_protocol {
namespace {

constexpr std::int64_t kLongestWait = 7LL * 24 * 3600 * 1000;  // milliseconds; a week

void PutList(WireWriter& w, const std::vector<std::string>& texts) {
  w.Put(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) w.Text(text);
}

std::vector<std::string> GetList(WireReader& in) {
  std::vector<std::string> texts;
  for (auto left = in.Count(4); left > 0 && in.ok(); --left) texts.emplace_back(in.Text());
  return texts;
}

void PutMap(WireWriter& w, const std::map<std::string, std::string>& entries) {
  w.Put(static_cast<std::uint32_t>(entries.size()));
  for (const auto& [name, value] : entries) {
    w.Text(name);
    w.Text(value);
  }
}

std::map<std::string, std::string> GetMap(WireReader& in) {
  std::map<std::string, std::string> entries;
  for (auto left = in.Count(8); left > 0 && in.ok(); --left) {
    std::string name(in.Text());
    entries[std::move(name)] = in.Text();
  }
  return entries;
}

bool Sensible(const Start& start) {
  const auto wait_ok = [](std::chrono::milliseconds wait) {
    return wait.count() > 0 && wait.count() <= kLongestWait;
  };
  return !start.command.empty() && start.port > 0 && start.port < 65536 &&
         wait_ok(start.start_timeout) && wait_ok(start.request_timeout) &&
         start.sample_interval.count() > 0 && start.sample_interval.count() <= kLongestWait * 1000;
}

}  // namespace

void Append(std::string& out, const Start& start) {
  std::string payload;
  WireWriter w(payload);
  PutList(w, start.command);
  PutMap(w, start.environment);
  w.Text(start.working_directory);
  w.Text(start.user);
  w.Put(static_cast<std::uint8_t>(start.run_as_root));
  w.Text(start.stop_signal);
  w.Put(static_cast<std::int32_t>(start.port));
  w.Text(start.method);
  w.Text(start.path);
  PutMap(w, start.headers);
  w.Text(start.readiness_path);
  w.Put<std::int64_t>(start.start_timeout.count());
  w.Put<std::int64_t>(start.request_timeout.count());
  w.Put<std::int64_t>(start.sample_interval.count());
  PutList(w, start.drop_cache);
  w.Put(static_cast<std::uint8_t>(start.watch_writes));

  WireWriter header(out);
  header.Put(static_cast<std::uint32_t>(payload.size()));
  header.Put(static_cast<std::uint8_t>(FrameType::kStart));
  out.append(payload);
}

Result<Start> DecodeStart(std::string_view payload) {
  WireReader in(payload);
  Start start;
  start.command = GetList(in);
  start.environment = GetMap(in);
  start.working_directory = in.Text();
  start.user = in.Text();
  start.run_as_root = in.Flag();
  start.stop_signal = in.Text();
  start.port = in.Get<std::int32_t>();
  start.method = in.Text();
  start.path = in.Text();
  start.headers = GetMap(in);
  start.readiness_path = in.Text();
  start.start_timeout = std::chrono::milliseconds(in.Get<std::int64_t>());
  start.request_timeout = std::chrono::milliseconds(in.Get<std::int64_t>());
  start.sample_interval = std::chrono::microseconds(in.Get<std::int64_t>());
  start.drop_cache = GetList(in);
  start.watch_writes = in.Flag();
  if (!in.Finished() || !Sensible(start)) return Fail(InvalidArgument("malformed start frame"));
  return start;
}

}  // namespace mlprof::agent_protocol
