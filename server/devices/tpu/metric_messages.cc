#include "server/devices/tpu/metric_messages.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "server/devices/profiler/field_writer.h"
#include "server/devices/xspace/wire.h"

namespace mlprof::server::tpu {
namespace {

using xspace::Field;
using xspace::FieldKind;
using xspace::FieldReader;

constexpr std::string_view kOrdinalKey = "device_ordinal";
// More than any machine has; what a list repeats is not kept for ever.
constexpr std::size_t kMostValues = 4096;

// One message within another. A field that another version of the schema has is passed over.
class MessageReader {
 public:
  // Calls `take(field)` for each.
  template <class Take>
  void ForEach(std::string_view message, Take take) {
    FieldReader fields(message);
    for (Field field; fields.Next(field);) take(field);
    ok_ = ok_ && fields.ok();
  }
  bool ok() const { return ok_; }

  // Gauge: 1 double, 2 int64, 3 string, 4 bool. Counter: 1 double, 2 uint64.
  std::optional<double> Number(std::string_view message) {
    std::optional<double> number;
    ForEach(message, [&](const Field& field) {
      if (field.number == 1 && field.kind == FieldKind::kFixed64) number = field.Double();
      if (field.number == 2 && field.IsNumber()) number = static_cast<double>(field.Signed());
    });
    return number;
  }

  // AttrValue: 1 string, 3 int64, 6 KeyValueList{1 repeated Attribute}; others name no device.
  std::optional<std::int64_t> DeviceOfValue(std::string_view message) {
    std::optional<std::int64_t> device;
    // A message without fields is an int of 0 that was left out, or an empty text.
    ForEach(message, [&](const Field& field) {
      if (field.number == 1 && field.IsBytes()) device = WholeNumber(field.bytes);
      if (field.number == 3 && field.IsNumber()) device = field.Signed();
      if (field.number == 6 && field.IsBytes()) device = DeviceOfList(field.bytes);
    });
    return device;
  }

  // Attribute: 1 key, 2 AttrValue.
  std::optional<std::int64_t> DeviceOfAttribute(std::string_view message, std::string_view& key) {
    std::optional<std::int64_t> device;
    ForEach(message, [&](const Field& field) {
      if (field.number == 1 && field.IsBytes()) key = field.bytes;
      if (field.number == 2 && field.IsBytes()) device = DeviceOfValue(field.bytes);
    });
    return device;
  }

  // Metric: 1 Attribute, 3 Gauge, 4 Counter; distributions and summaries are passed over.
  std::optional<MetricValue> Metric(std::string_view message) {
    MetricValue metric;
    std::optional<double> number;
    ForEach(message, [&](const Field& field) {
      if (!field.IsBytes()) return;
      std::string_view key;
      if (field.number == 1) metric.device = DeviceOfAttribute(field.bytes, key).value_or(0);
      // A gauge whose number is 0 may come without it.
      if (field.number == 3 || field.number == 4) number = Number(field.bytes).value_or(0);
    });
    if (!number) return std::nullopt;
    metric.value = *number;
    return metric;
  }

 private:
  static std::optional<std::int64_t> WholeNumber(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  // Attributes beside the device's say what of it is told. Lists within them are not looked into.
  std::optional<std::int64_t> DeviceOfList(std::string_view message) {
    std::optional<std::int64_t> device;
    if (deep_) return device;
    deep_ = true;
    ForEach(message, [&](const Field& field) {
      if (field.number != 1 || !field.IsBytes()) return;
      std::string_view key;
      const auto one = DeviceOfAttribute(field.bytes, key);
      if (key == kOrdinalKey) device = one;
    });
    deep_ = false;
    return device;
  }

  bool ok_ = true;
  bool deep_ = false;
};

// Whatever listens at the port in the model's container may say anything.
bool IsPlausible(const MetricValue& metric) {
  constexpr double kMost = 9'007'199'254'740'992;  // 2^53: a whole number that a double holds
  return std::isfinite(metric.value) && metric.value >= 0 && metric.value <= kMost;
}

}  // namespace

std::string EncodeMetricRequest(std::string_view metric) {
  profiler::FieldWriter message;
  message.Bytes(1, metric);
  return message.message();
}

// MetricResponse{1 TPUMetric{1 name, 2 description, 3 repeated Metric}}
Result<std::vector<MetricValue>> ReadMetricResponse(std::string_view message) {
  std::vector<MetricValue> values;
  MessageReader reader;
  reader.ForEach(message, [&](const Field& response) {
    if (response.number != 1 || !response.IsBytes()) return;
    reader.ForEach(response.bytes, [&](const Field& field) {
      if (field.number != 3 || !field.IsBytes() || values.size() >= kMostValues) return;
      if (const auto value = reader.Metric(field.bytes)) values.push_back(*value);
    });
  });
  if (!reader.ok()) return Fail(Internal("what libtpu's metric service sent is damaged"));
  if (!std::ranges::all_of(values, IsPlausible)) {
    return Fail(Internal("what libtpu's metric service sent has numbers that no chip can have"));
  }
  std::ranges::stable_sort(values, {}, &MetricValue::device);
  return values;
}

}  // namespace mlprof::server::tpu
