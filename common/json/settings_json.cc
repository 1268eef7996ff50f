#include "common/json/settings_json.h"

#include <charconv>
#include <string>
#include <string_view>

#include "common/json/scalar_json.h"

namespace mlprof {
namespace {

std::string Quantity(Cores cores) {
  const std::int64_t thousandths = cores.millicores();
  if (thousandths % 1000 == 0) return std::to_string(thousandths / 1000);
  return std::to_string(thousandths) + "m";
}

// Answers are multiples of 16 MiB.
std::string Quantity(Bytes bytes) { return std::to_string(bytes.count() >> 20) + "Mi"; }

// The number that a quantity begins with, and its unit.
struct Parts {
  std::int64_t number = 0;
  std::string_view unit;
};

Parts PartsOf(const std::string& quantity) {
  Parts parts;
  const char* end = quantity.data() + quantity.size();
  const auto read = std::from_chars(quantity.data(), end, parts.number);
  parts.unit = std::string_view(read.ptr, static_cast<std::size_t>(end - read.ptr));
  return parts;
}

std::optional<Cores> ReadCores(JsonReader& reader, const char* key) {
  const auto quantity = reader.String(key);
  if (!quantity) return std::nullopt;
  const Parts parts = PartsOf(*quantity);
  return Cores::FromMillicores(parts.unit == "m" ? parts.number : parts.number * 1000);
}

Json Written(const std::optional<Cores>& cores) {
  return cores ? Json(Quantity(*cores)) : Json(nullptr);
}

}  // namespace

Json EncodePodResources(const PodResources& pod) {
  const std::string memory = Quantity(pod.memory);
  return {{"requests", {{"cpu", Quantity(pod.requests_cpu)}, {"memory", memory}}},
          {"limits", {{"cpu", Written(pod.limits_cpu)}, {"memory", memory}}},
          {"startupCpu", Written(pod.startup_cpu)},
          {"because", pod.because}};
}

PodResources ReadPodResources(JsonReader& reader) {
  PodResources pod;
  if (auto requests = reader.Object("requests")) {
    pod.requests_cpu = ReadCores(*requests, "cpu").value_or(Cores());
    if (const auto memory = requests->String("memory")) pod.memory = MiB(PartsOf(*memory).number);
  }
  if (auto limits = reader.Object("limits")) pod.limits_cpu = ReadCores(*limits, "cpu");
  pod.startup_cpu = ReadCores(reader, "startupCpu");
  Assign(pod.because, reader.String("because"));
  return pod;
}

Json EncodeRareEvents(const RareEvents& rare) {
  return {{"requests", rare.requests}, {"upperBound", rare.upper_bound}};
}

RareEvents ReadRareEvents(JsonReader& reader) {
  return {reader.BigInteger("requests").value_or(0), reader.Number("upperBound").value_or(0)};
}

}  // namespace mlprof
