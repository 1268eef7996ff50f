#include "common/json/objective_json.h"

#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

constexpr int kMostConcurrency = 1024;    // the connections an agent opens (agent_protocol)
constexpr double kLongestMs = 1e9;        // eleven days: no bound at all
constexpr double kLongestStart = 86'400;  // seconds; a day, as long as the longest budget

void ReadLatency(JsonReader& reader, Objective& objective) {
  for (const char* key : {"p50", "p90", "p95", "p99"}) {
    if (const auto ms = reader.Number(key, {0, kLongestMs, true}, Null::kAbsent)) {
      objective.latency_ms[key] = *ms;
    }
  }
  reader.RefuseUnknown();
}

// {"gamma": {"cv": 2}} or {"trace": "times:1"}
void ReadArrivalsObject(JsonReader arrivals, Objective& objective) {
  const bool scattered = arrivals.Find("gamma", Null::kAbsent) != nullptr;
  if (!scattered && arrivals.Find("trace", Null::kAbsent) != nullptr) {
    const auto dataset = arrivals.String("trace");
    if (dataset && dataset->empty()) arrivals.Problem("trace", "must be the id of a dataset");
    if (dataset) objective.arrivals = Arrivals::Trace(*dataset);
  } else if (arrivals.Require("gamma")) {
    if (auto gamma = arrivals.Object("gamma")) {
      gamma->Require("cv");
      if (const auto cv = gamma->Number("cv", {kLeastArrivalsCv, kMostArrivalsCv})) {
        objective.arrivals = Arrivals::Gamma(*cv);
      }
      gamma->RefuseUnknown();
    }
  }
  arrivals.RefuseUnknown();
}

void ReadNamedArrivals(JsonReader& reader, Objective& objective) {
  const auto name = reader.String("arrivals");
  if (!name) return;
  const auto arrivals = ParseArrivals(*name);
  if (!arrivals) {
    reader.Problem("arrivals",
                   "must be poisson, constant, {\"gamma\": {\"cv\": NUMBER}} or "
                   "{\"trace\": DATASET}");
  }
  Assign(objective.arrivals, arrivals);
}

void ReadArrivals(JsonReader& reader, Objective& objective) {
  const Json* given = reader.Find("arrivals", Null::kAbsent);
  if (given == nullptr) return;
  if (given->is_object()) {
    ReadArrivalsObject(*reader.Object("arrivals"), objective);
  } else {
    ReadNamedArrivals(reader, objective);
  }
  const bool rate_given = reader.Find("requestsPerSecond", Null::kAbsent) != nullptr;
  // A trace has a rate of its own.
  const bool own = objective.arrivals.kind == Arrivals::Kind::kTrace && !objective.concurrency;
  if (!rate_given && !own && reader.mode() == JsonReader::Mode::kRequest) {
    reader.Problem("arrivals", "must not be given without requestsPerSecond");
  }
}

void ReadConnections(JsonReader& reader, Objective& objective) {
  if (reader.Find("connections", Null::kAbsent) == nullptr) return;
  const auto name = reader.String("connections");
  if (!name) return;
  objective.connections = ParseConnections(*name);
  if (!objective.connections) {
    reader.Problem("connections", "must be keepAlive, perRequest or both");
  }
}

}  // namespace

std::string_view Name(ConnectionUse use) {
  switch (use) {
    case ConnectionUse::kKeepAlive: return "keepAlive";
    case ConnectionUse::kPerRequest: return "perRequest";
    case ConnectionUse::kBoth: return "both";
  }
  return "keepAlive";
}

std::optional<ConnectionUse> ParseConnections(std::string_view name) {
  for (const auto use :
       {ConnectionUse::kKeepAlive, ConnectionUse::kPerRequest, ConnectionUse::kBoth}) {
    if (Name(use) == name) return use;
  }
  return std::nullopt;
}

Json EncodeArrivals(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kPoisson: return "poisson";
    case Arrivals::Kind::kConstant: return "constant";
    case Arrivals::Kind::kGamma: return {{"gamma", {{"cv", arrivals.cv}}}};
    case Arrivals::Kind::kTrace: return {{"trace", arrivals.trace}};
  }
  return "poisson";
}

std::optional<Arrivals> ParseArrivals(std::string_view name) {
  if (name == "poisson") return Arrivals::kPoisson;
  if (name == "constant") return Arrivals::kConstant;
  return std::nullopt;
}

Objective ReadObjective(JsonReader& reader) {
  Objective objective;
  objective.concurrency = reader.Integer("concurrency", {1, kMostConcurrency}, Null::kAbsent);
  objective.requests_per_second = reader.Number(
      "requestsPerSecond", {kLeastRequestsPerSecond, kMostRequestsPerSecond}, Null::kAbsent);
  if (objective.concurrency && objective.requests_per_second) {
    reader.Problem("requestsPerSecond", "must not be given together with concurrency");
  }
  ReadArrivals(reader, objective);
  ReadConnections(reader, objective);
  if (auto latency = reader.Object("latencyInMs", Null::kAbsent)) ReadLatency(*latency, objective);
  Assign(objective.max_error_rate, reader.Number("maxErrorRate", {0, 1}));
  objective.start_within_seconds =
      reader.Number("startWithinSeconds", {0, kLongestStart, true}, Null::kAbsent);
  reader.RefuseUnknown();
  return objective;
}

Json EncodeObjective(const Objective& objective) {
  Json json = {{"concurrency", Figure(objective.concurrency)},
               {"requestsPerSecond", Figure(objective.requests_per_second)},
               {"latencyInMs", Json::object()},
               {"maxErrorRate", objective.max_error_rate}};
  if (objective.requests_per_second) json["arrivals"] = EncodeArrivals(objective.arrivals);
  if (objective.start_within_seconds) json["startWithinSeconds"] = *objective.start_within_seconds;
  if (objective.connections) json["connections"] = Name(*objective.connections);
  for (const auto& [percentile, ms] : objective.latency_ms) json["latencyInMs"][percentile] = ms;
  return json;
}

}  // namespace mlprof
