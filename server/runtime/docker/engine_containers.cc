#include <chrono>
#include <cstdint>
#include <cstdio>

#include "common/text/percent.h"
#include "server/runtime/docker/engine.h"
#include "server/runtime/docker/log_frames.h"

namespace mlprof::server::docker {
namespace {

constexpr std::int64_t kNano = 1'000'000'000;

std::string Path(const std::string& id, std::string_view action) {
  return "/containers/" + PercentEncode(id) + std::string(action);
}

std::string Named(std::string_view verb, const std::string& id) {
  return std::string(verb) + " container " + id.substr(0, 64);
}

Status Done(const Result<HttpReply>& reply) {
  if (!reply) return Fail(reply.error());
  return {};
}

std::string TextOf(const Json& json, const char* key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<std::string> DockerEngine::CreateContainer(const std::string& name, const Json& spec,
                                                  const Patience& patience) {
  const Result<Json> json =
      SendForJson({"create", Named("create", name), "POST",
                   "/containers/create?name=" + PercentEncode(name), DumpJson(spec)},
                  patience);
  if (!json) return Fail(json.error());
  std::string id = TextOf(*json, "Id");
  if (id.empty()) return Fail(Internal("Docker created container " + name + " without an id"));
  return id;
}

Status DockerEngine::StartContainer(const std::string& id, const Patience& patience) {
  return Done(Send({"start", Named("start", id), "POST", Path(id, "/start"), ""}, patience));
}

Status DockerEngine::UpdateCpu(const std::string& id, Cores cpu, const Patience& patience) {
  return Update(id,
                {{"CpuPeriod", kCpuPeriodMicroseconds}, {"CpuQuota", CpuQuotaMicroseconds(cpu)}},
                patience);
}

Status DockerEngine::UpdateMemory(const std::string& id, Bytes memory, const Patience& patience) {
  return Update(id, {{"Memory", memory.count()}, {"MemorySwap", memory.count()}}, patience);
}

Status DockerEngine::Update(const std::string& id, const Json& limits, const Patience& patience) {
  return Done(Send({"update", Named("update", id), "POST", Path(id, "/update"), DumpJson(limits)},
                   patience));
}

Result<ContainerState> DockerEngine::InspectContainer(const std::string& id_or_name,
                                                      const Patience& patience) {
  const Result<Json> json = SendForJson(
      {"inspect", Named("inspect", id_or_name), "GET", Path(id_or_name, "/json"), ""}, patience);
  if (!json) return Fail(json.error());
  return DecodeContainer(*json);
}

Result<std::vector<std::string>> DockerEngine::Events(const std::string& id,
                                                      const Patience& patience) {
  Json filters = Json::object();
  if (!id.empty()) {
    filters = {{"container", Json::array({id})}, {"type", Json::array({"container"})}};
  }
  // Without `until` the stream of events would never end.
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  char until[32];
  std::snprintf(until, sizeof until, "%lld.%09lld", static_cast<long long>(now.count() / kNano),
                static_cast<long long>(now.count() % kNano));
  const Result<HttpReply> reply =
      Send({"events", id.empty() ? "tell its events" : Named("tell the events of", id), "GET",
            "/events?since=1&until=" + std::string(until) +
                "&filters=" + PercentEncode(DumpJson(filters)),
            ""},
           patience);
  if (!reply) return Fail(reply.error());
  return DecodeEvents(reply->body);
}

Result<std::string> DockerEngine::Logs(const std::string& id, const Patience& patience) {
  const Result<HttpReply> reply =
      Send({"logs", Named("read the log of", id), "GET", Path(id, "/logs?stdout=1&stderr=1"), ""},
           patience);
  if (!reply) return Fail(reply.error());
  return LogFrames().Feed(reply->body);
}

Status DockerEngine::FollowLogs(const std::string& id,
                                const std::function<void(std::string_view)>& on_text,
                                const Patience& patience) {
  LogFrames frames;
  const auto on_chunk = [&](std::string_view chunk) {
    const std::string text = frames.Feed(chunk);
    if (!text.empty()) on_text(text);
    return true;
  };
  return Done(Send({"followLogs", Named("follow the log of", id), "GET",
                    Path(id, "/logs?follow=1&stdout=1&stderr=1"), ""},
                   patience, on_chunk));
}

Result<int> DockerEngine::Wait(const std::string& id, const Patience& patience) {
  const Result<Json> json =
      SendForJson({"wait", Named("wait for", id), "POST", Path(id, "/wait"), ""}, patience);
  if (!json) return Fail(json.error());
  const auto code = json->is_object() ? json->find("StatusCode") : json->end();
  if (code == json->end() || !code->is_number_integer()) {
    return Fail(Internal("Docker did not say how container " + id + " ended"));
  }
  return static_cast<int>(code->get<std::int64_t>());
}

Status DockerEngine::Kill(const std::string& id, const Patience& patience) {
  const Result<HttpReply> reply =
      Send({"kill", Named("kill", id), "POST", Path(id, "/kill?signal=KILL"), ""}, patience);
  if (reply || reply.error().code() == ErrorCode::kConflict ||
      reply.error().code() == ErrorCode::kNotFound) {
    return {};
  }
  return Fail(reply.error());
}

Status DockerEngine::Remove(const std::string& id, const Patience& patience) {
  const Result<HttpReply> reply =
      Send({"remove", Named("remove", id), "DELETE", Path(id, "?force=1&v=1"), ""}, patience);
  if (reply || reply.error().code() == ErrorCode::kNotFound) return {};
  // Somebody else's removal is under way, and will be done.
  if (reply.error().message().find("already in progress") != std::string::npos) return {};
  return Fail(reply.error());
}

Result<std::vector<ListedContainer>> DockerEngine::ListContainers(const std::string& label,
                                                                  const Patience& patience) {
  const Json filters = {{"label", Json::array({label})}};
  const Result<Json> json =
      SendForJson({"list", "list containers labelled " + label, "GET",
                   "/containers/json?all=1&filters=" + PercentEncode(DumpJson(filters)), ""},
                  patience);
  if (!json) return Fail(json.error());
  return DecodeContainerList(*json);
}

}  // namespace mlprof::server::docker
