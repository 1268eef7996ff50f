#include <algorithm>
#include <map>

#include "server/devices/xspace/groups.h"
#include "server/devices/xspace/planes.h"
#include "server/devices/xspace/stat_of.h"

namespace mlprof::server::xspace {
namespace {

// A handover to more threads than this is no handover: a context that everything shares.
constexpr std::size_t kMostEnds = 64;

using Place = std::pair<std::uint32_t, std::uint32_t>;    // a line, and an event in it
using Context = std::pair<std::uint64_t, std::uint64_t>;  // type and id of a handover

struct HandoverIds {
  explicit HandoverIds(const Plane& plane)
      : root(plane.StatId("_r")),
        producer_type(plane.StatId("_pt")),
        producer(plane.StatId("_p")),
        consumer_type(plane.StatId("_ct")),
        consumer(plane.StatId("_c")) {}
  std::optional<std::int64_t> root, producer_type, producer, consumer_type, consumer;
};

struct Root {
  std::int64_t level = 0;
  std::int64_t start_ps = 0;
  Place place;
};

class HostGrouping {
 public:
  HostGrouping(const Plane& plane, const TimeLimit& time)
      : plane_(plane), time_(time), ids_(plane), step_(plane, "step_num") {
    out_.plane = &plane;
  }

  HostGroups Run() {
    for (const Line& line : plane_.lines) AddLine(line);
    std::stable_sort(roots_.begin(), roots_.end(), [](const Root& a, const Root& b) {
      return a.level != b.level ? a.level > b.level : a.start_ps < b.start_ps;
    });
    for (const Root& root : roots_) {
      if (time_.Over()) break;
      if (GroupAt(root.place) == kNoGroup) Begin(root.place);
    }
    return std::move(out_);
  }

 private:
  void AddLine(const Line& line) {
    HostLine added;
    added.line = &line;
    added.events = NestingOf(plane_, line, false);
    added.groups.assign(added.events.size(), kNoGroup);
    const auto number = static_cast<std::uint32_t>(out_.lines.size());
    for (std::uint32_t i = 0; i < added.events.size() && !time_.Over(); ++i) {
      Note(line.events[added.events[i].event], {number, i});
    }
    out_.lines.push_back(std::move(added));
  }

  // Roots and handovers.
  void Note(const Event& event, Place place) {
    std::optional<std::uint64_t> producer_type, producer, consumer_type, consumer;
    std::int64_t level = 0;
    Plane::ForEachStat(event, [&](std::int64_t id, std::string_view message) {
      const auto is = [&](const std::optional<std::int64_t>& wanted) {
        return wanted && *wanted == id;
      };
      const auto whole = [&] { return plane_.Decode(message).Whole(); };
      if (is(ids_.root) && level == 0) level = static_cast<std::int64_t>(whole());
      if (is(ids_.producer_type)) producer_type = whole();
      if (is(ids_.producer)) producer = whole();
      if (is(ids_.consumer_type)) consumer_type = whole();
      if (is(ids_.consumer)) consumer = whole();
    });
    if (level != 0) roots_.push_back({level, event.start_ps, place});
    if (producer_type && producer) produced_[place] = {*producer_type, *producer};
    if (producer_type && producer) ++producers_[{*producer_type, *producer}];
    if (consumer_type && consumer) consumers_[{*consumer_type, *consumer}].push_back(place);
  }

  std::int32_t& GroupAt(Place place) { return out_.lines[place.first].groups[place.second]; }
  const Event& EventAt(Place place) const {
    const HostLine& line = out_.lines[place.first];
    return line.line->events[line.events[place.second].event];
  }

  void Begin(Place root) {
    const auto group = static_cast<std::int32_t>(out_.names.size());
    StepName name{plane_.Of(EventAt(root)).name, {}};
    if (const auto step = step_.Of(EventAt(root))) {
      name.number = static_cast<std::int64_t>(step->Whole());
    }
    out_.names.push_back(name);
    out_.roots.push_back(root);
    std::vector<Place> open{root};
    while (!open.empty()) {
      const Place place = open.back();
      open.pop_back();
      if (GroupAt(place) == kNoGroup) Spread(place, group, open);
    }
  }

  // To an event and what is nested in it, with who takes over from there.
  void Spread(Place place, std::int32_t group, std::vector<Place>& open) {
    HostLine& line = out_.lines[place.first];
    const std::uint32_t end = line.events[place.second].end;
    for (std::uint32_t i = place.second; i < end;) {
      if (line.groups[i] != kNoGroup) {
        i = std::max(line.events[i].end, i + 1);
        continue;
      }
      line.groups[i] = group;
      const auto handed = produced_.find({place.first, i});
      if (handed != produced_.end()) HandOver(handed->second, open);
      ++i;
    }
  }

  void HandOver(const Context& context, std::vector<Place>& open) {
    const auto takers = consumers_.find(context);
    if (takers == consumers_.end()) return;
    if (takers->second.size() > kMostEnds && producers_[context] > kMostEnds) return;
    open.insert(open.end(), takers->second.begin(), takers->second.end());
    consumers_.erase(takers);  // who takes over once has its step
  }

  const Plane& plane_;
  const TimeLimit& time_;
  const HandoverIds ids_;
  const StatOf step_;
  HostGroups out_;
  std::vector<Root> roots_;
  std::map<Place, Context> produced_;
  std::map<Context, std::size_t> producers_;
  std::map<Context, std::vector<Place>> consumers_;
};

}  // namespace

std::string Text(const StepName& name) {
  std::string text(CutName(name.root));
  if (name.number) text += (text.empty() ? "" : " ") + std::to_string(*name.number);
  return text;
}

HostGroups GroupHost(const Trace& trace, const TimeLimit& time) {
  const Plane* host = trace.FindPlane(kHostPlane);
  return host == nullptr ? HostGroups{} : HostGrouping(*host, time).Run();
}

std::map<std::uint64_t, std::int32_t> GroupsByCorrelation(const HostGroups& host) {
  std::map<std::uint64_t, std::int32_t> out;
  if (host.plane == nullptr) return out;
  const auto id = host.plane->StatId("correlation_id");
  for (const HostLine& line : host.lines) {
    for (std::size_t i = 0; i < line.events.size() && id; ++i) {
      if (line.groups[i] == kNoGroup) continue;
      const auto stat = host.plane->FindOwn(line.line->events[line.events[i].event], id);
      if (stat) out.emplace(stat->Whole(), line.groups[i]);
    }
  }
  return out;
}

}  // namespace mlprof::server::xspace
