#include <charconv>

#include "server/profiling/queue/event_hub.h"
#include "server/profiling/queue/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/event_stream.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof::server {
namespace {

Result<std::int64_t> ReadLastEventId(const HttpRequest& request) {
  const std::string text = request.headers.Get("Last-Event-ID").value_or("");
  if (text.empty()) return 0;
  std::int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc() || stop != end || id < 0) {
    return Fail(InvalidArgument("Last-Event-ID must be the id of an event"));
  }
  return id;
}

Result<HttpResponse> StreamEvents(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  MLPROF_LET(asked, ReadLastEventId(request));
  MLPROF_LET(profile, services.profiles.Get(workspace, PathParameter(request, "name")));
  EventHub& hub = services.profiles.events();
  MLPROF_LET(newest, hub.Newest(profile.id));
  // An id from the future (ring-only events are not numbered again after a restart) would make the
  // stream wait for ever; it goes on behind the newest event instead.
  const std::int64_t last_id = std::min(asked, newest ? newest->id : 0);
  // A browser takes every stream that ends up again; 204 alone makes it stop (HTML, 9.2.3).
  if (newest && newest->type == "done" && last_id == newest->id) return NoContent();
  // The finished state is stored before the last event is published: the hub still has the profile
  // open until then, and the stream waits. A profile that was deleted or cannot be read is over
  // too.
  auto over = [&hub, &profiles = services.profiles, workspace, id = profile.id] {
    if (hub.IsOpen(id)) return false;
    const auto now = profiles.Get(workspace, id);
    return !now || IsFinished(now->state);
  };
  HttpResponse response;
  response.headers.Set("Content-Type", "text/event-stream");
  response.headers.Set("Cache-Control", "no-store");
  response.body = std::make_shared<EventStream>(hub, profile.id, last_id, std::move(over));
  return response;
}

}  // namespace

void AddEventRoutes(Router& router, const Services& services) {
  router.Add({"GET", "/profiles/{name}/events", kNoBody, Handle(services, StreamEvents)});
}

}  // namespace mlprof::server
