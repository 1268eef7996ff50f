#include "server/devices/profiler/profile_messages.h"

#include "server/devices/profiler/field_writer.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::profiler {
namespace {

using xspace::Field;
using xspace::FieldReader;

constexpr std::uint64_t kMostEvents = 1'000'000;
constexpr std::string_view kTraceName = "xplane.pb";

// Without `version` the levels do not count, and without levels nothing is recorded. The time of
// the options is the one that counts.
std::string EncodeOptions(std::chrono::milliseconds duration) {
  FieldWriter options;
  options.Number(2, 2);  // host_tracer_level
  options.Number(3, 1);  // device_tracer_level
  options.Number(4, 0);  // python_tracer_level: it slows the program down
  options.Number(5, 1);  // version
  options.Number(7, 1);  // enable_hlo_proto
  options.Number(9, static_cast<std::uint64_t>(duration.count()));
  return options.message();
}

// ProfileToolData: 1 name, 2 data. Servers of old send the trace as one of several files.
std::string_view TraceOfToolData(std::string_view message, bool& ok) {
  std::string_view name;
  std::string_view data;
  FieldReader fields(message);
  for (Field field; fields.Next(field);) {
    if (field.IsBytes() && field.number == 1) name = field.bytes;
    if (field.IsBytes() && field.number == 2) data = field.bytes;
  }
  ok = fields.ok();
  return name.ends_with(kTraceName) ? data : std::string_view();
}

}  // namespace

std::string ProfileRequest::FileOfOlderServers() const {
  return folder + "/" + session + "/" + host + "." + std::string(kTraceName);
}

std::string Encode(const ProfileRequest& request) {
  FieldWriter message;
  message.Number(1, static_cast<std::uint64_t>(request.duration.count()));
  message.Number(2, kMostEvents);
  message.Bytes(4, EncodeOptions(request.duration));
  message.Bytes(5, request.folder);
  message.Bytes(6, request.session);
  message.Bytes(7, request.host);
  message.Number(9, 1);  // emit_xspace: send it, write nothing
  return message.message();
}

Result<ProfileResponse> ReadProfileResponse(std::string_view message) {
  ProfileResponse response;
  bool ok = true;
  FieldReader fields(message);
  for (Field field; ok && fields.Next(field);) {
    std::string_view piece;
    if (field.IsBytes() && field.number == 6) piece = TraceOfToolData(field.bytes, ok);
    if (field.IsNumber() && field.number == 7) response.nothing_ran = field.value != 0;
    // A field of a message that comes twice is one whose parts follow each other.
    if (field.IsBytes() && field.number == 8) piece = field.bytes;
    if (!piece.empty()) response.trace.push_back(piece);
  }
  if (!ok || !fields.ok()) return Fail(Internal("what the profiler server sent is damaged"));
  return response;
}

}  // namespace mlprof::server::profiler
