#include "tests/fakes/fake_metric_service.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace mlprof::fakes {
namespace {

constexpr std::string_view kService = "/tpu.monitoring.runtime.RuntimeMetricService/";
enum { kOk = 0, kNotFound = 5, kUnimplemented = 12 };

// The wire format, written anew: nothing of what is tested has a part in its own test.
void PutVarint(std::uint64_t value, std::string& out) {
  for (; value > 127; value >>= 7U) out += static_cast<char>(128U | (value & 127U));
  out += static_cast<char>(value);
}

void PutNumber(unsigned field, std::int64_t value, std::string& out) {
  PutVarint(field * 8U, out);
  PutVarint(static_cast<std::uint64_t>(value), out);
}

void PutDouble(unsigned field, double value, std::string& out) {
  PutVarint(field * 8U + 1U, out);
  const auto bytes = std::bit_cast<std::array<char, sizeof(double)>>(value);
  out.append(bytes.data(), bytes.size());
}

void PutBytes(unsigned field, std::string_view bytes, std::string& out) {
  PutVarint(field * 8U + 2U, out);
  PutVarint(bytes.size(), out);
  out += bytes;
}

std::string AttributeOf(const FakeMetricValue& value) {
  std::string attribute;
  std::string attr_value;
  if (value.in_list) {
    std::string text;
    PutBytes(1, std::to_string(value.device), text);
    std::string one;
    PutBytes(1, "device_ordinal", one);
    PutBytes(2, text, one);
    std::string list;
    PutBytes(1, one, list);
    PutBytes(1, "attributes", attribute);
    PutBytes(6, list, attr_value);
  } else {
    PutBytes(1, "device-id", attribute);
    PutNumber(3, value.device, attr_value);
  }
  PutBytes(2, attr_value, attribute);
  return attribute;
}

// Metric{1 Attribute, 2 Timestamp{1 seconds}, 3 Gauge{1 double, 2 int}}
std::string MetricOf(const FakeMetricValue& value) {
  std::string gauge;
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) {
    PutNumber(2, *whole, gauge);
  } else {
    PutDouble(1, std::get<double>(value.value), gauge);
  }
  std::string time;
  PutNumber(1, 1'790'000'000, time);
  std::string metric;
  PutBytes(1, AttributeOf(value), metric);
  PutBytes(2, time, metric);
  PutBytes(3, gauge, metric);
  return metric;
}

// A request's first text: MetricRequest{1 metric_name}.
std::string NameIn(std::string_view request) {
  if (request.size() < 2 || request[0] != 0x0A) return "";
  return std::string(request.substr(2, static_cast<unsigned char>(request[1])));
}

nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

struct Call {
  std::string path;
  std::string request;
  std::string body;
  std::size_t sent = 0;
  std::string status = "0";
};

// One connection, as bytes in and out.
class Session {
 public:
  explicit Session(FakeMetricService& service) : service_(service) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrameRead);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeaderRead);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnBody);
    nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~Session() { nghttp2_session_del(session_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::string Take(std::string_view heard) {
    nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(heard.data()),
                             heard.size());
    std::string out;
    const std::uint8_t* bytes = nullptr;
    for (ssize_t n = 0; (n = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
      out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n));
    }
    return out;
  }

 private:
  static Session& From(void* self) { return *static_cast<Session*>(self); }

  static int OnFrameRead(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    const bool asks = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (asks && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      From(self).Reply(frame->hd.stream_id);
    }
    return 0;
  }
  static int OnHeaderRead(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                          std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                          std::uint8_t, void* self) {
    if (std::string(name, name + name_size) == ":path") {
      From(self).calls_[frame->hd.stream_id].path.assign(value, value + value_size);
    }
    return 0;
  }
  static int OnBody(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                    std::size_t size, void* self) {
    From(self).calls_[stream].request.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static ssize_t GiveBytes(nghttp2_session* session, std::int32_t stream, std::uint8_t* into,
                           std::size_t room, std::uint32_t* flags, nghttp2_data_source*,
                           void* self) {
    Call& call = From(self).calls_[stream];
    const std::size_t size = std::min(room, call.body.size() - call.sent);
    std::memcpy(into, call.body.data() + call.sent, size);
    call.sent += size;
    if (call.sent == call.body.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const nghttp2_nv trailer = Header("grpc-status", call.status);
      nghttp2_submit_trailer(session, stream, &trailer, 1);
    }
    return static_cast<ssize_t>(size);
  }

  void Reply(std::int32_t stream) {
    Call& call = calls_[stream];
    std::string message;
    const std::string_view request(call.request);
    const int status = service_.Answer(
        call.path, request.substr(std::min<std::size_t>(5, request.size())), message);
    call.status = std::to_string(status);
    std::vector<nghttp2_nv> headers = {Header(":status", "200"),
                                       Header("content-type", "application/grpc")};
    if (status != kOk) {
      headers.push_back(Header("grpc-status", call.status));
      nghttp2_submit_response(session_, stream, headers.data(), headers.size(), nullptr);
      return;
    }
    call.body.assign(1, '\0');
    for (unsigned shift = 32; shift > 0; shift -= 8) {
      call.body += static_cast<char>(message.size() >> (shift - 8) & 0xFFU);
    }
    call.body += message;
    nghttp2_data_provider provider = {};
    provider.read_callback = &GiveBytes;
    nghttp2_submit_response(session_, stream, headers.data(), headers.size(), &provider);
  }

  FakeMetricService& service_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Call> calls_;
};

}  // namespace

void FakeMetricService::Say(const std::string& metric, std::vector<FakeMetricValue> values) {
  const std::lock_guard lock(mutex_);
  metrics_[metric] = std::move(values);
}

void FakeMetricService::Forget(const std::string& metric) {
  const std::lock_guard lock(mutex_);
  metrics_.erase(metric);
}

void FakeMetricService::FailWith(int grpc_status) {
  const std::lock_guard lock(mutex_);
  failure_ = grpc_status;
}

int FakeMetricService::asked(const std::string& metric) const {
  const std::lock_guard lock(mutex_);
  const auto found = asked_.find(metric);
  return found == asked_.end() ? 0 : found->second;
}

int FakeMetricService::Answer(const std::string& path, std::string_view request,
                              std::string& message) {
  const std::lock_guard lock(mutex_);
  if (path == std::string(kService) + "ListSupportedMetrics") {
    for (const auto& [name, values] : metrics_) {
      std::string one;
      PutBytes(1, name, one);
      PutBytes(1, one, message);
    }
    return kOk;
  }
  if (path != std::string(kService) + "GetRuntimeMetric") return kUnimplemented;
  const std::string name = NameIn(request);
  ++asked_[name];
  if (failure_ != 0) return failure_;
  const auto found = metrics_.find(name);
  if (found == metrics_.end()) return kNotFound;
  std::string metric;
  PutBytes(1, name, metric);
  PutBytes(2, "imitated", metric);
  for (const FakeMetricValue& value : found->second) PutBytes(3, MetricOf(value), metric);
  PutBytes(1, metric, message);
  return kOk;
}

FakeMetricService::Connection FakeMetricService::NewConnection() {
  return [session = std::make_shared<Session>(*this)](std::string_view heard) {
    return session->Take(heard);
  };
}

void SayChip(FakeMetricService& service, std::int64_t used, std::int64_t total, double duty) {
  service.Say("tpu.runtime.hbm.memory.usage.bytes", {{0, used}});
  service.Say("tpu.runtime.hbm.memory.total.bytes", {{0, total}});
  service.Say("tpu.runtime.tensorcore.dutycycle.percent", {{0, duty}});
}

}  // namespace mlprof::fakes
