#include "server/profiling/phases/row_records.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace mlprof::server::phases {
namespace {

constexpr std::ptrdiff_t kHeavyRows = 5;  // by each measure; every run at limits begins with them

struct RowCost {
  std::vector<std::uint32_t> cpu_us;
  std::uint32_t shortest_us = std::numeric_limits<std::uint32_t>::max();
};

struct RowRequests {
  std::vector<std::uint32_t> latency_us;
  std::vector<std::uint32_t> service_us;
  std::vector<std::uint32_t> cpu_us;
  std::optional<Bytes> peak_rise;
  std::optional<RequestRecord> first;
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

std::vector<RowRecord> MakeRowRecords(const RowSource& rows, const ReplayResult& replay,
                                      std::span<const RequestRecord> earlier) {
  std::map<std::uint32_t, RequestRecord> visited;
  for (const RequestRecord& request : earlier) visited.emplace(request.row, request);
  std::map<std::uint32_t, RowRequests> by_row;
  for (const RequestRecord& request : replay.requests) {
    RowRequests& row = by_row[request.row];
    if (const auto before = visited.find(request.row); before != visited.end()) {
      row.first = before->second;
    } else {
      visited.emplace(request.row, request);
    }
    ++row.replays;
    row.status = request.http_status;
    if (!request.Succeeded()) continue;
    row.latency_us.push_back(request.latency_us);
    row.service_us.push_back(request.service_us);
    if (request.cpu_us) row.cpu_us.push_back(*request.cpu_us);
    if (request.peak_rise) {
      row.peak_rise = std::max(row.peak_rise.value_or(Bytes()), *request.peak_rise);
    }
  }
  std::vector<RowRecord> records;
  records.reserve(by_row.size());
  for (auto& [index, row] : by_row) {
    RowRecord record;
    record.row = index;
    record.size = rows.SizeOf(index);
    record.replays = row.replays;
    record.status = row.status;
    record.latency_ms = MedianMs(row.latency_us);
    record.service_time_ms = MedianMs(row.service_us);
    record.cpu_ms = MedianMs(row.cpu_us);
    record.peak_memory = row.peak_rise;
    if (row.first && row.first->Succeeded()) {
      record.first_latency_ms = row.first->latency_us / 1000.0;
      if (row.first->cpu_us) record.first_cpu_ms = *row.first->cpu_us / 1000.0;
    }
    records.push_back(record);
  }
  return records;
}

std::vector<RequestRecord> LaterVisits(std::span<const RequestRecord> earlier,
                                       std::span<const RequestRecord> requests) {
  std::set<std::uint32_t> visited;
  for (const RequestRecord& request : earlier) visited.insert(request.row);
  std::vector<RequestRecord> later;
  for (const RequestRecord& request : requests) {
    if (!visited.insert(request.row).second) later.push_back(request);
  }
  if (later.empty()) later.assign(requests.begin(), requests.end());
  return later;
}

std::vector<std::uint32_t> HeavyRows(const std::vector<RowRecord>& records) {
  std::vector<std::uint32_t> heavy;
  const auto add = [&](const auto& cost) {
    std::vector<RowRecord> sorted = records;
    const auto end = sorted.begin() + std::min<std::ptrdiff_t>(kHeavyRows, std::ssize(sorted));
    std::partial_sort(sorted.begin(), end, sorted.end(),
                      [&](const auto& a, const auto& b) { return cost(a) > cost(b); });
    for (auto row = sorted.begin(); row != end; ++row) {
      const auto index = static_cast<std::uint32_t>(row->row);
      if (std::find(heavy.begin(), heavy.end(), index) == heavy.end()) heavy.push_back(index);
    }
  };
  add([](const RowRecord& row) {
    return static_cast<double>(row.peak_memory.value_or(Bytes()).count());
  });
  add([](const RowRecord& row) { return row.cpu_ms.value_or(0); });
  add([](const RowRecord& row) { return row.latency_ms.value_or(0); });
  add([](const RowRecord& row) { return static_cast<double>(row.size.count()); });
  return heavy;
}

std::optional<double> UnhinderedCores(std::span<const RequestRecord> requests) {
  std::map<std::uint32_t, RowCost> by_row;
  for (const RequestRecord& request : requests) {
    if (!request.Succeeded()) continue;
    RowCost& row = by_row[request.row];
    row.shortest_us = std::min(row.shortest_us, request.latency_us);
    if (request.cpu_us) row.cpu_us.push_back(*request.cpu_us);
  }
  double cpu_ms = 0;
  double latency_ms = 0;
  for (auto& [index, row] : by_row) {
    if (row.cpu_us.empty()) continue;
    cpu_ms += *std::min_element(row.cpu_us.begin(), row.cpu_us.end()) / 1000.0;
    latency_ms += row.shortest_us / 1000.0;
  }
  if (latency_ms <= 0) return std::nullopt;
  return cpu_ms / latency_ms;
}

std::optional<double> MeanCpuSeconds(std::span<const RequestRecord> requests) {
  double sum = 0;
  std::size_t count = 0;
  for (const RequestRecord& request : requests) {
    if (!request.Succeeded() || !request.cpu_us) continue;
    sum += *request.cpu_us / 1e6;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace mlprof::server::phases
