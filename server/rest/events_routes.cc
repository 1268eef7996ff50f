#include <charconv>
#include <limits>

#include "server/profiling/event_hub.h"
#include "server/profiling/profile_service.h"
#include "server/rest/endpoint.h"
#include "server/rest/event_stream.h"
#include "server/rest/query_reader.h"
#include "server/rest/rest_api.h"

namespace mlprof {
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

// An id from the future (ring-only events are not numbered again after a restart) would make the
// stream wait for ever; it goes on behind the newest event instead.
Result<std::int64_t> BoundToNewest(EventHub& hub, const std::string& profile_id, std::int64_t id) {
  const auto all = hub.After(profile_id, 0, std::numeric_limits<std::size_t>::max());
  if (!all) return Fail(all.error());
  return std::min(id, all->empty() ? 0 : all->back().id);
}

Result<HttpResponse> StreamEvents(const Services& services, const HttpRequest& request) {
  QueryReader query(request);
  const std::string workspace = query.Workspace();
  MLPROF_TRY(query.Done());
  const auto asked = ReadLastEventId(request);
  if (!asked) return Fail(asked.error());
  const auto profile = services.profiles.Get(workspace, PathParameter(request, "name"));
  if (!profile) return Fail(profile.error());
  EventHub& hub = services.profiles.events();
  const auto last_id = BoundToNewest(hub, profile->id, *asked);
  if (!last_id) return Fail(last_id.error());
  HttpResponse response;
  response.headers.Set("Content-Type", "text/event-stream");
  response.headers.Set("Cache-Control", "no-store");
  response.body =
      std::make_shared<EventStream>(hub, profile->id, *last_id, IsFinished(profile->state));
  return response;
}

}  // namespace

void AddEventRoutes(Router& router, const Services& services) {
  router.Add({"GET", "/profiles/{name}/events", kNoBody, Handle(services, StreamEvents)});
}

}  // namespace mlprof
