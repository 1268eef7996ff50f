// An objective inside a profile, a request for one, or a question about one.
#pragma once

#include <string_view>

#include "common/domain/objective.h"
#include "common/json/json_reader.h"

namespace mlprof {

/// Reads `reader`'s object; problems go to the reader's list, unknown members among them.
Objective ReadObjective(JsonReader& reader);
/// With null for what is not given; `arrivals` is there only beside a rate.
Json EncodeObjective(const Objective& objective);

std::string_view Name(ConnectionUse use);  // "keepAlive" | "perRequest" | "both"
std::optional<ConnectionUse> ParseConnections(std::string_view name);
Json EncodeArrivals(
    const Arrivals& arrivals);  // "poisson" | … | {"gamma": {"cv": 2}} | {"trace": …}
/// Of those that have but a name.
std::optional<Arrivals> ParseArrivals(std::string_view name);
/// How scattered gamma gaps may be: beyond these they are as even, or come in bursts as long, as no
/// load of some seconds shows.
inline constexpr double kLeastArrivalsCv = 0.1;
inline constexpr double kMostArrivalsCv = 10;

}  // namespace mlprof
