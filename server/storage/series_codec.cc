#include "server/storage/series_codec.h"

#include <algorithm>
#include <cmath>

#include "server/storage/byte_codec.h"

namespace mlprof::server {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: below it doubles and integers agree

bool IsWhole(const SeriesPoint& point) {
  return std::abs(point.value) < kLargestWhole && std::trunc(point.value) == point.value;
}

}  // namespace

std::string EncodePoints(std::span<const SeriesPoint> points) {
  const bool whole = std::all_of(points.begin(), points.end(), &IsWhole);
  ByteWriter writer;
  writer.Unsigned(kVersion);
  writer.Unsigned(whole ? 1 : 0);
  std::int64_t at = 0;
  std::int64_t value = 0;
  for (const SeriesPoint& point : points) {
    writer.Signed(Difference(point.at.count(), at));
    at = point.at.count();
    if (whole) {
      const auto now = static_cast<std::int64_t>(point.value);
      writer.Signed(now - value);
      value = now;
    } else {
      writer.Double(point.value);
    }
  }
  return writer.Take();
}

Result<std::vector<SeriesPoint>> DecodePoints(std::string_view bytes) {
  const Error damaged = Internal("the stored series cannot be read");
  ByteReader reader(bytes);
  const std::uint64_t version = reader.Unsigned();
  const std::uint64_t whole = reader.Unsigned();
  if (!reader.ok() || version != kVersion || whole > 1) return Fail(damaged);
  std::vector<SeriesPoint> points;
  std::int64_t at = 0;
  std::int64_t value = 0;
  while (!reader.AtEnd()) {
    at = Sum(at, reader.Signed());
    SeriesPoint point{std::chrono::nanoseconds(at), 0};
    if (whole == 1) {
      value = Sum(value, reader.Signed());
      point.value = static_cast<double>(value);
    } else {
      point.value = reader.Double();
    }
    if (!reader.ok()) return Fail(damaged);
    points.push_back(point);
  }
  return points;
}

}  // namespace mlprof::server
