#include "server/storage/sample_codec.h"

#include <array>

#include "server/storage/byte_codec.h"

namespace mlprof::server {
namespace {

// Version 1 of row records had no first visits.
constexpr std::uint64_t kFirstRowsVersion = 1;
constexpr std::uint64_t kRowsVersion = 2;
// Version 1 of a batch had only the first 12 integers and the pressure.
constexpr std::uint64_t kFirstSamplesVersion = 1;
constexpr std::uint64_t kSamplesVersion = 2;
constexpr std::size_t kFirstIntegers = 12;
constexpr std::size_t kIntegers = 15;
using Integers = std::array<std::int64_t, kIntegers>;

Sample FromIntegers(const Integers& v) {
  using std::chrono::nanoseconds;
  Sample s;
  s.at = nanoseconds(v[0]);
  s.cpu_time = nanoseconds(v[1]);
  s.periods = v[2];
  s.throttled_periods = v[3];
  s.throttled_time = nanoseconds(v[4]);
  s.usage = Bytes(v[5]);
  s.unreclaimable = Bytes(v[6]);
  s.cache = Bytes(v[7]);
  s.processes = v[8];
  s.oom_kills = v[9];
  s.agent_cpu_time = nanoseconds(v[10]);
  s.agent_memory = Bytes(v[11]);
  s.mapped_file = Bytes(v[12]);
  s.file_refaults = v[13];
  s.major_faults = v[14];
  return s;
}

Error Damaged(const char* what) {
  return Internal(std::string("the stored ") + what + " cannot be read");
}

// Fields that most samples lack, or that most have like the sample before: a byte says which
// follow.
enum Extra : std::uint64_t { kPeak = 1, kStall = 2, kLag = 4, kFileFigures = 8, kWait = 16 };

void ReadExtras(ByteReader& reader, std::uint64_t extras, Sample& sample) {
  using std::chrono::nanoseconds;
  if ((extras & kPeak) != 0) sample.peak_unreclaimable = Bytes(reader.Signed());
  if ((extras & kStall) != 0) sample.memory_stall = nanoseconds(reader.Signed());
  if ((extras & kLag) != 0) sample.send_lag = nanoseconds(reader.Signed());
  if ((extras & kWait) != 0) sample.run_queue_wait = nanoseconds(reader.Signed());
}

RowRecord ReadRow(ByteReader& reader, std::uint64_t version) {
  RowRecord row;
  row.row = reader.Signed();
  row.size = Bytes(reader.Signed());
  row.replays = static_cast<int>(reader.Signed());
  row.status = static_cast<int>(reader.Signed());
  row.latency_ms = reader.OptionalDouble();
  row.service_time_ms = reader.OptionalDouble();
  row.cpu_ms = reader.OptionalDouble();
  if (reader.Unsigned() != 0) row.peak_memory = Bytes(reader.Signed());
  if (version == kFirstRowsVersion) return row;
  row.first_latency_ms = reader.OptionalDouble();
  row.first_cpu_ms = reader.OptionalDouble();
  return row;
}

}  // namespace

Status DecodeSamples(std::string_view bytes, std::vector<Sample>& samples) {
  ByteReader reader(bytes);
  const std::uint64_t version = reader.Unsigned();
  if (version != kFirstSamplesVersion && version != kSamplesVersion) {
    return Fail(Damaged("samples"));
  }
  Integers values{};
  while (!reader.AtEnd()) {
    const std::uint64_t extras = version == kFirstSamplesVersion ? 0 : reader.Unsigned();
    const std::size_t integers = (extras & kFileFigures) != 0 ? kIntegers : kFirstIntegers;
    for (std::size_t i = 0; i < integers; ++i) values.at(i) = Sum(values.at(i), reader.Signed());
    Sample sample = FromIntegers(values);
    sample.host_cpu_pressure = reader.OptionalDouble();
    ReadExtras(reader, extras, sample);
    if (!reader.ok()) return Fail(Damaged("samples"));
    samples.push_back(sample);
  }
  return {};
}

std::string EncodeRowRecords(std::span<const RowRecord> rows) {
  ByteWriter writer;
  writer.Unsigned(kRowsVersion);
  for (const RowRecord& row : rows) {
    writer.Signed(row.row);
    writer.Signed(row.size.count());
    writer.Signed(row.replays);
    writer.Signed(row.status);
    writer.OptionalDouble(row.latency_ms);
    writer.OptionalDouble(row.service_time_ms);
    writer.OptionalDouble(row.cpu_ms);
    writer.Unsigned(row.peak_memory ? 1 : 0);
    if (row.peak_memory) writer.Signed(row.peak_memory->count());
    writer.OptionalDouble(row.first_latency_ms);
    writer.OptionalDouble(row.first_cpu_ms);
  }
  return writer.Take();
}

Result<std::vector<RowRecord>> DecodeRowRecords(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t version = reader.Unsigned();
  if (version != kFirstRowsVersion && version != kRowsVersion) {
    return Fail(Damaged("row records"));
  }
  std::vector<RowRecord> rows;
  while (!reader.AtEnd()) {
    rows.push_back(ReadRow(reader, version));
    if (!reader.ok()) return Fail(Damaged("row records"));
  }
  return rows;
}

}  // namespace mlprof::server
