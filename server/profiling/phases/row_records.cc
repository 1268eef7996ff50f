#include "server/profiling/phases/row_records.h"

#include <algorithm>
#include <map>

namespace mlprof::phases {
namespace {

struct RowCost {
  std::vector<std::uint32_t> cpu_us;
  std::uint32_t shortest_us = 0;
};

struct RowRequests {
  std::vector<std::uint32_t> latency_us;
  std::vector<std::uint32_t> service_us;
  std::vector<std::uint32_t> cpu_us;
  int replays = 0;
  int status = 0;
};

std::optional<double> MedianMs(std::vector<std::uint32_t>& microseconds) {
  if (microseconds.empty()) return std::nullopt;
  const auto middle = microseconds.begin() + static_cast<std::ptrdiff_t>(microseconds.size() / 2);
  std::nth_element(microseconds.begin(), middle, microseconds.end());
  return *middle / 1000.0;
}

}  // namespace

std::vector<RowRecord> MakeRowRecords(const Rows& rows, const ReplayResult& replay) {
  std::map<std::uint32_t, RowRequests> by_row;
  for (const RequestRecord& request : replay.requests) {
    RowRequests& row = by_row[request.row];
    ++row.replays;
    row.status = request.http_status;
    if (!request.Succeeded()) continue;
    row.latency_us.push_back(request.latency_us);
    row.service_us.push_back(request.service_us);
    if (request.cpu_us) row.cpu_us.push_back(*request.cpu_us);
  }
  std::vector<RowRecord> records;
  records.reserve(by_row.size());
  for (auto& [index, row] : by_row) {
    RowRecord record;
    record.row = index;
    record.size = Bytes(std::ssize(rows[index]));
    record.replays = row.replays;
    record.status = row.status;
    record.latency_ms = MedianMs(row.latency_us);
    record.service_time_ms = MedianMs(row.service_us);
    record.cpu_ms = MedianMs(row.cpu_us);
    records.push_back(record);
  }
  return records;
}

std::optional<double> UnhinderedCores(const ReplayResult& replay) {
  std::map<std::uint32_t, RowCost> by_row;
  for (const RequestRecord& request : replay.requests) {
    if (!request.Succeeded() || !request.cpu_us) continue;
    RowCost& row = by_row[request.row];
    const bool first = row.cpu_us.empty();
    row.shortest_us = first ? request.latency_us : std::min(row.shortest_us, request.latency_us);
    row.cpu_us.push_back(*request.cpu_us);
  }
  double cpu_ms = 0;
  double latency_ms = 0;
  for (auto& [index, row] : by_row) {
    cpu_ms += MedianMs(row.cpu_us).value_or(0);
    latency_ms += row.shortest_us / 1000.0;
  }
  if (latency_ms <= 0) return std::nullopt;
  return cpu_ms / latency_ms;
}

std::optional<double> MeanCpuSeconds(const ReplayResult& replay) {
  double sum = 0;
  std::size_t count = 0;
  for (const RequestRecord& request : replay.requests) {
    if (!request.Succeeded() || !request.cpu_us) continue;
    sum += *request.cpu_us / 1e6;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace mlprof::phases
