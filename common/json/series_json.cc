#include "common/json/series_json.h"

#include <cmath>

namespace mlprof {
namespace {

// Of an object, else an empty one.
Json Member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_object() ? *found : Json::object();
}

std::string Text(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<SeriesPoint> DecodePoints(const Json& json) {
  std::vector<SeriesPoint> points;
  if (!json.is_array()) return points;
  for (const Json& point : json) {
    if (!point.is_array() || point.size() != 2) continue;
    if (!point[0].is_number() || !point[1].is_number()) continue;
    const double nanoseconds = point[0].get<double>() * 1e9;
    if (!(std::abs(nanoseconds) < 9e18)) continue;
    points.push_back({std::chrono::nanoseconds(std::llround(nanoseconds)), point[1].get<double>()});
  }
  return points;
}

}  // namespace

Json EncodeSeries(std::span<const Series> all) {
  Json series = Json::object();
  Json info = Json::object();
  for (const Series& one : all) {
    Json& points = series[one.name] = Json::array();
    for (const SeriesPoint& point : one.points) {
      points.push_back({std::chrono::duration<double>(point.at).count(), point.value});
    }
    info[one.name] = {{"unit", one.unit}, {"source", one.source}};
  }
  return {{"series", std::move(series)}, {"seriesInfo", std::move(info)}};
}

std::vector<Series> DecodeSeries(const Json& json) {
  std::vector<Series> all;
  if (!json.is_object()) return all;
  const Json series = Member(json, "series");
  const Json info = Member(json, "seriesInfo");
  for (const auto& [name, points] : series.items()) {
    const Json told = Member(info, name.c_str());
    all.push_back({name, Text(told, "unit"), Text(told, "source"), DecodePoints(points)});
  }
  return all;
}

}  // namespace mlprof
