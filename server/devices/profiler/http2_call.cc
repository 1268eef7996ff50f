#include "server/devices/profiler/http2_call.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "common/text/percent.h"

namespace mlprof::server::profiler {
namespace {

// What may be under way: a trace of some hundred MiB is not to wait for every 64 KiB of it.
constexpr std::int32_t kWindow = 4 << 20;

nghttp2_nv HeaderOf(std::string_view name, std::string_view value) {
  // The library copies them and does not write; its type has no const.
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

class NgHttp2Call final : public Http2Call {
 public:
  NgHttp2Call(const GrpcCall& call, GrpcMessage& into)
      : request_(FrameMessage(call.message)), into_(into) {}
  ~NgHttp2Call() override { nghttp2_session_del(session_); }

  Status Open(const GrpcCall& call);
  Result<std::string_view> Outgoing() override;
  Status Incoming(std::string_view bytes) override;
  bool IsOver() const override { return over_; }
  const GrpcReply& reply() const override { return reply_; }

 private:
  static NgHttp2Call& Of(void* self) { return *static_cast<NgHttp2Call*>(self); }
  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                      std::size_t value_size, std::uint8_t flags, void* self);
  static int OnData(nghttp2_session* session, std::uint8_t flags, std::int32_t stream,
                    const std::uint8_t* data, std::size_t size, void* self);
  static int OnClose(nghttp2_session* session, std::int32_t stream, std::uint32_t code, void* self);
  static ssize_t GiveBody(nghttp2_session* session, std::int32_t stream, std::uint8_t* into,
                          std::size_t room, std::uint32_t* flags, nghttp2_data_source* source,
                          void* self);
  void Note(std::string_view name, std::string_view value);
  Status StartSession();

  const std::string request_;
  std::size_t sent_ = 0;
  GrpcMessage& into_;
  GrpcReply reply_;
  Status taken_;
  bool over_ = false;
  nghttp2_session* session_ = nullptr;
};

int NgHttp2Call::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  if (frame->hd.type == NGHTTP2_SETTINGS) Of(self).reply_.speaks_http2 = true;
  return 0;
}

void NgHttp2Call::Note(std::string_view name, std::string_view value) {
  const auto number = [&]() -> std::optional<int> {
    int parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    return error == std::errc() ? std::optional(parsed) : std::nullopt;
  };
  if (name == ":status") reply_.http_status = number().value_or(0);
  if (name == "content-type") reply_.content_type = value;
  if (name == "grpc-status") reply_.status = number().value_or(-1);
  if (name == "grpc-message") reply_.message = PercentDecode(value).value_or("");
}

int NgHttp2Call::OnHeader(nghttp2_session*, const nghttp2_frame*, const std::uint8_t* name,
                          std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                          std::uint8_t, void* self) {
  Of(self).Note({reinterpret_cast<const char*>(name), name_size},
                {reinterpret_cast<const char*>(value), value_size});
  return 0;
}

int NgHttp2Call::OnData(nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t* data,
                        std::size_t size, void* self) {
  NgHttp2Call& call = Of(self);
  // What is no gRPC is not counted as a message: its status says what it is.
  if (!call.reply_.content_type.starts_with("application/grpc")) return 0;
  call.taken_ = call.into_.Take({reinterpret_cast<const char*>(data), size});
  return call.taken_ ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

int NgHttp2Call::OnClose(nghttp2_session*, std::int32_t, std::uint32_t code, void* self) {
  Of(self).reply_.ended = code == NGHTTP2_NO_ERROR;
  Of(self).over_ = true;
  return 0;
}

ssize_t NgHttp2Call::GiveBody(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t room,
                              std::uint32_t* flags, nghttp2_data_source*, void* self) {
  NgHttp2Call& call = Of(self);
  const std::size_t size = std::min(room, call.request_.size() - call.sent_);
  std::copy_n(call.request_.data() + call.sent_, size, into);
  call.sent_ += size;
  if (call.sent_ == call.request_.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(size);
}

Status NgHttp2Call::StartSession() {
  const Error short_of_memory = Internal("HTTP/2 cannot be begun: memory is short");
  nghttp2_session_callbacks* made = nullptr;
  if (nghttp2_session_callbacks_new(&made) != 0) return Fail(short_of_memory);
  const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)>
      callbacks(made, &nghttp2_session_callbacks_del);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, &OnFrame);
  nghttp2_session_callbacks_set_on_header_callback(made, &OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, &OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, &OnClose);
  if (nghttp2_session_client_new(&session_, made, this) != 0) return Fail(short_of_memory);
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kWindow)}}};
  if (nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0 ||
      nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindow) != 0) {
    return Fail(short_of_memory);
  }
  return {};
}

Status NgHttp2Call::Open(const GrpcCall& call) {
  MLPROF_TRY(StartSession());
  const std::string timeout = std::to_string(call.timeout.count()) + "m";
  const std::array<nghttp2_nv, 8> headers = {
      HeaderOf(":method", "POST"),      HeaderOf(":scheme", "http"),
      HeaderOf(":path", call.path),     HeaderOf(":authority", call.authority),
      HeaderOf("te", "trailers"),       HeaderOf("content-type", "application/grpc"),
      HeaderOf("user-agent", "mlprof"), HeaderOf("grpc-timeout", timeout)};
  nghttp2_data_provider body = {};
  body.read_callback = &GiveBody;
  if (nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &body, nullptr) <
      0) {
    return Fail(Internal("HTTP/2 took no request"));
  }
  return {};
}

Result<std::string_view> NgHttp2Call::Outgoing() {
  const std::uint8_t* bytes = nullptr;
  const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
  if (size < 0) return Fail(Internal(nghttp2_strerror(static_cast<int>(size))));
  // What is not HTTP/2 ends the session, once that was said.
  if (size == 0 && nghttp2_session_want_read(session_) == 0) over_ = true;
  return std::string_view(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Status NgHttp2Call::Incoming(std::string_view bytes) {
  reply_.heard = true;
  const ssize_t size = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  MLPROF_TRY(taken_);
  if (size < 0) over_ = true;
  return {};
}

}  // namespace

Result<std::unique_ptr<Http2Call>> Http2Call::Begin(const GrpcCall& call, GrpcMessage& into) {
  auto begun = std::make_unique<NgHttp2Call>(call, into);
  MLPROF_TRY(begun->Open(call));
  return std::unique_ptr<Http2Call>(std::move(begun));
}

}  // namespace mlprof::server::profiler
