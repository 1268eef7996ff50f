#include "tests/fakes/fake_profiler_server.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace mlprof::fakes {
namespace {

nghttp2_nv Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// One connection.
struct Conversation {
  explicit Conversation(const ProfilerScript& told) : script(told) {
    if (script.content_type != "application/grpc") {
      body = script.response;
      return;
    }
    const auto size = script.told_size.value_or(static_cast<std::uint32_t>(script.response.size()));
    body = std::string(1, script.compressed);
    for (unsigned shift = 32; shift > 0; shift -= 8) {
      body += static_cast<char>(size >> (shift - 8) & 0xFFU);
    }
    body += script.response;
  }

  bool Lost() const { return script.lost_after && sent >= *script.lost_after; }

  const ProfilerScript& script;
  std::string body;
  std::size_t sent = 0;
  bool asked = false;
  std::string path;
  std::string request;
};

Conversation& Of(void* self) { return *static_cast<Conversation*>(self); }

ssize_t GivePiece(nghttp2_session* session, std::int32_t stream, std::uint8_t* into,
                  std::size_t room, std::uint32_t* flags, nghttp2_data_source*, void* self) {
  Conversation& talk = Of(self);
  const std::size_t end = std::min(talk.body.size(), talk.script.lost_after.value_or(SIZE_MAX));
  const std::size_t size = std::min(room, end - talk.sent);
  if (size == 0 && talk.Lost()) return NGHTTP2_ERR_DEFERRED;
  std::memcpy(into, talk.body.data() + talk.sent, size);
  talk.sent += size;
  if (talk.sent < talk.body.size()) return static_cast<ssize_t>(size);
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (!talk.script.status.empty()) {
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const std::array<nghttp2_nv, 2> trailers = {Field("grpc-status", talk.script.status),
                                                Field("grpc-message", talk.script.status_message)};
    nghttp2_submit_trailer(session, stream, trailers.data(), trailers.size());
  }
  return static_cast<ssize_t>(size);
}

void Respond(nghttp2_session* session, std::int32_t stream, const Conversation& talk) {
  std::vector<nghttp2_nv> headers = {Field(":status", talk.script.http_status),
                                     Field("content-type", talk.script.content_type)};
  if (talk.script.status != "0" && !talk.script.status.empty() && talk.script.response.empty()) {
    headers.push_back(Field("grpc-status", talk.script.status));
    headers.push_back(Field("grpc-message", talk.script.status_message));
    nghttp2_submit_response(session, stream, headers.data(), headers.size(), nullptr);
    return;
  }
  nghttp2_data_provider provider = {};
  provider.read_callback = &GivePiece;
  nghttp2_submit_response(session, stream, headers.data(), headers.size(), &provider);
}

int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
  Conversation& talk = Of(self);
  const bool asks = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
  if (!asks || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  talk.asked = true;
  constexpr std::size_t kFrame = 5;
  if (talk.script.on_request && talk.request.size() >= kFrame) {
    talk.script.on_request(std::string_view(talk.request).substr(kFrame));
  }
  if (!talk.script.silent) Respond(session, frame->hd.stream_id, talk);
  return 0;
}

int OnHeader(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name,
             std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
             void* self) {
  if (std::string(name, name + name_size) == ":path")
    Of(self).path.assign(value, value + value_size);
  return 0;
}

int OnData(nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t* data, std::size_t size,
           void* self) {
  Of(self).request.append(reinterpret_cast<const char*>(data), size);
  return 0;
}

bool SendPending(nghttp2_session* session, int fd) {
  const std::uint8_t* bytes = nullptr;
  for (ssize_t n = 0; (n = nghttp2_session_mem_send(session, &bytes)) > 0;) {
    const std::string_view piece(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n));
    if (!SendWhole(fd, piece)) return false;
  }
  return true;
}

nghttp2_session* NewSession(Conversation& talk) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new(&session, callbacks, &talk);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  return session;
}

// What stands of a port between one piece of a connection and the next.
struct PortTalk {
  explicit PortTalk(ProfilerScript told) : script(std::move(told)) {}
  ~PortTalk() { nghttp2_session_del(session); }

  void BeginAnew() {
    nghttp2_session_del(session);
    talk.emplace(script);
    session = NewSession(*talk);
  }

  const ProfilerScript script;
  std::optional<Conversation> talk;
  nghttp2_session* session = nullptr;
};

}  // namespace

std::function<std::string(std::string_view)> ProfilerPort(
    ProfilerScript script, const std::shared_ptr<std::atomic<int>>& calls) {
  auto port = std::make_shared<PortTalk>(std::move(script));
  return [port, calls](std::string_view heard) {
    if (heard.starts_with("PRI *")) {
      port->BeginAnew();
      if (calls) ++*calls;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(heard.data());
    nghttp2_session_mem_recv(port->session, bytes, heard.size());
    std::string said;
    const std::uint8_t* piece = nullptr;
    for (ssize_t n = 0; (n = nghttp2_session_mem_send(port->session, &piece)) > 0;) {
      said.append(reinterpret_cast<const char*>(piece), static_cast<std::size_t>(n));
    }
    return said;
  };
}

FakeProfilerServer::FakeProfilerServer(ProfilerScript script) : script_(std::move(script)) {
  server_ = std::make_unique<TcpServer>([this](int fd) { Serve(fd); });
}

void FakeProfilerServer::Serve(int fd) {
  Conversation talk(script_);
  const std::unique_ptr<nghttp2_session, decltype(&nghttp2_session_del)> session(
      NewSession(talk), &nghttp2_session_del);
  std::array<char, 4096> piece;
  while (SendPending(session.get(), fd) && !talk.Lost()) {
    const ssize_t size = ::recv(fd, piece.data(), piece.size(), 0);
    if (size <= 0) return;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(piece.data());
    if (nghttp2_session_mem_recv(session.get(), bytes, static_cast<std::size_t>(size)) < 0) return;
    if (!talk.asked) continue;
    const std::lock_guard lock(mutex_);
    path_ = talk.path;
    request_ = talk.request.substr(std::min<std::size_t>(5, talk.request.size()));
  }
}

std::string FakeProfilerServer::path() const {
  const std::lock_guard lock(mutex_);
  return path_;
}

std::string FakeProfilerServer::request() const {
  const std::lock_guard lock(mutex_);
  return request_;
}

}  // namespace mlprof::fakes
