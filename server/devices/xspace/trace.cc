#include "server/devices/xspace/trace.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mlprof::server::xspace {
namespace {

// Sums and products of such numbers stay finite, and so have an order.
constexpr double kLargestNumber = 1e30;

}  // namespace

// The id alone, for which most stats need not be decoded.
std::int64_t StatIdOf(std::string_view stat) {
  FieldReader reader(stat);
  Field field;
  while (reader.Next(field)) {
    if (field.number == 1 && field.IsNumber()) return field.Signed();
  }
  return 0;
}

double Stat::Number() const {
  switch (kind) {
    case Kind::kDouble: {
      const auto number = std::bit_cast<double>(bits);
      return std::abs(number) <= kLargestNumber ? number : 0;  // NaN is not
    }
    case Kind::kUnsigned: return static_cast<double>(bits);
    case Kind::kSigned: return static_cast<double>(static_cast<std::int64_t>(bits));
    default: return 0;
  }
}

std::uint64_t Stat::Whole() const {
  if (kind == Kind::kUnsigned || kind == Kind::kSigned) return bits;
  return 0;
}

Stat Plane::Decode(std::string_view message) const {
  Stat stat;
  FieldReader reader(message);
  Field field;
  while (reader.Next(field)) {
    switch (field.number) {
      case 1: stat.id = field.Signed(); break;
      case 2:
        stat.kind = Stat::Kind::kDouble;
        stat.bits = field.kind == FieldKind::kFixed64 ? field.value : 0;
        break;
      case 3:
      case 4:
        stat.kind = field.number == 3 ? Stat::Kind::kUnsigned : Stat::Kind::kSigned;
        stat.bits = field.IsNumber() ? field.value : 0;
        break;
      case 5:
      case 6:
        stat.kind = field.number == 5 ? Stat::Kind::kText : Stat::Kind::kBytes;
        stat.text = field.IsBytes() ? field.bytes : std::string_view();
        break;
      case 7: {
        stat.kind = Stat::Kind::kText;
        const auto referred = stat_names.find(field.Signed());
        stat.text = referred == stat_names.end() ? std::string_view() : referred->second;
        break;
      }
      default: break;
    }
  }
  return stat;
}

std::optional<std::int64_t> Plane::StatId(std::string_view stat) const {
  for (const auto& [stat_id, stat_name] : stat_names) {
    if (stat_name == stat) return stat_id;
  }
  return std::nullopt;
}

std::optional<Stat> Plane::OwnStat(std::string_view stat) const {
  const auto wanted = StatId(stat);
  for (const std::string_view message : stats) {
    if (wanted && StatIdOf(message) == *wanted) return Decode(message);
  }
  return std::nullopt;
}

std::optional<Stat> Plane::Find(const EventMetadata& shared,
                                std::optional<std::int64_t> wanted) const {
  if (!wanted) return std::nullopt;
  for (const std::string_view message : shared.stats) {
    if (StatIdOf(message) == *wanted) return Decode(message);
  }
  return std::nullopt;
}

std::optional<Stat> Plane::FindOwn(const Event& event, std::optional<std::int64_t> wanted) const {
  std::optional<Stat> found;
  if (!wanted) return found;
  ForEachStat(event, [&](std::int64_t stat, std::string_view message) {
    if (!found && stat == *wanted) found = Decode(message);
  });
  return found;
}

const Plane* Trace::FindPlane(std::string_view name) const {
  for (const Plane& plane : planes) {
    if (plane.name == name) return &plane;
  }
  return nullptr;
}

std::size_t Trace::EventCount() const {
  std::size_t count = 0;
  for (const Plane& plane : planes) {
    for (const Line& line : plane.lines) count += line.events.size();
  }
  return count;
}

std::int64_t Trace::LastPs() const {
  std::int64_t last = 0;
  for (const Plane& plane : planes) {
    for (const Line& line : plane.lines) {
      for (const Event& event : line.events) last = std::max(last, event.end_ps());
    }
  }
  return last;
}

}  // namespace mlprof::server::xspace
