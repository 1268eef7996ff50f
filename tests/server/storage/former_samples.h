// Samples as they were stored before there were series, for the tests that such a database goes on
// being readable: the last writer of profile_sample_batches, kept as it was.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "common/domain/sample.h"
#include "server/storage/byte_codec.h"
#include "server/storage/database.h"
#include "server/storage/statement.h"

namespace mlprof::server {
namespace former_samples {

constexpr std::uint64_t kSamplesVersion = 2;
constexpr std::size_t kFirstIntegers = 12;
constexpr std::size_t kIntegers = 15;
using Integers = std::array<std::int64_t, kIntegers>;

enum Extra : std::uint64_t { kPeak = 1, kStall = 2, kLag = 4, kFileFigures = 8, kWait = 16 };

inline Integers ToIntegers(const Sample& s) {
  return {s.at.count(),
          s.cpu_time.count(),
          s.periods,
          s.throttled_periods,
          s.throttled_time.count(),
          s.usage.count(),
          s.unreclaimable.count(),
          s.cache.count(),
          s.processes,
          s.oom_kills,
          s.agent_cpu_time.count(),
          s.agent_memory.count(),
          s.mapped_file.count(),
          s.file_refaults,
          s.major_faults};
}

inline std::uint64_t ExtrasOf(const Sample& sample, const Integers& now, const Integers& before) {
  std::uint64_t extras = 0;
  if (sample.peak_unreclaimable) extras |= kPeak;
  if (sample.memory_stall) extras |= kStall;
  if (sample.send_lag) extras |= kLag;
  if (sample.run_queue_wait) extras |= kWait;
  const auto from = static_cast<std::ptrdiff_t>(kFirstIntegers);
  if (!std::equal(now.begin() + from, now.end(), before.begin() + from)) extras |= kFileFigures;
  return extras;
}

}  // namespace former_samples

inline std::string EncodeFormerSamples(std::span<const Sample> samples) {
  using namespace former_samples;  // NOLINT(google-build-using-namespace)
  ByteWriter writer;
  writer.Unsigned(kSamplesVersion);
  Integers before{};
  for (const Sample& sample : samples) {
    const Integers now = ToIntegers(sample);
    const std::uint64_t extras = ExtrasOf(sample, now, before);
    const std::size_t integers = (extras & kFileFigures) != 0 ? kIntegers : kFirstIntegers;
    writer.Unsigned(extras);
    for (std::size_t i = 0; i < integers; ++i) writer.Signed(Difference(now[i], before[i]));
    writer.OptionalDouble(sample.host_cpu_pressure);
    if (sample.peak_unreclaimable) writer.Signed(sample.peak_unreclaimable->count());
    if (sample.memory_stall) writer.Signed(sample.memory_stall->count());
    if (sample.send_lag) writer.Signed(sample.send_lag->count());
    if (sample.run_queue_wait) writer.Signed(sample.run_queue_wait->count());
    before = now;
  }
  return writer.Take();
}

inline Status AddFormerSamples(Database& database, const std::string& profile_id,
                               std::span<const Sample> samples) {
  const std::string blob = EncodeFormerSamples(samples);
  return database.Write([&](Connection& connection) {
    return Statement(connection, R"sql(
             INSERT INTO profile_sample_batches (profile_id, sample_count, samples, checksum)
             VALUES (:profile_id, :count, :samples,
                     row_checksum(:profile_id, :count, :samples)))sql")
        .Bind(":profile_id", profile_id)
        .Bind(":count", static_cast<std::int64_t>(samples.size()))
        .BindBlob(":samples", blob)
        .Run();
  });
}

}  // namespace mlprof::server
