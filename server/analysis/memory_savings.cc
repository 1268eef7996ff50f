#include "server/analysis/memory_savings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "common/units/size_text.h"
#include "server/analysis/sentence.h"
#include "server/analysis/trend.h"

namespace mlprof::server {
namespace {

// Less is not worth a change. Chosen, not measured; it is told only.
constexpr double kLeastShare = 0.05;
constexpr Bytes kLeastSaving = MiB(8);
// So many rows may be refused or split: more are the load, not its exceptions.
constexpr double kExceptions = 0.05;
constexpr std::size_t kFewestRows = 10;
// A line through sizes and rises says something where it tells the usual row's rise so much better
// than the median of all does.
constexpr double kNearLine = 0.5;
// Heavy rows take twice as much as the others.
constexpr double kGap = 0.5;
// So much of the parameters' bytes in mapped files makes it likely that these are mapped.
constexpr double kMapped = 0.5;
constexpr std::size_t kRowsKept = 1024;  // of each kind

// What the need falls by when its peaks are lowered by so much.
Bytes Taken(const MemoryMakeUp& make_up, Bytes off_start, Bytes off_serving) {
  const auto need = make_up.Need();
  if (!need) return std::max(off_start, off_serving);
  const Bytes start = make_up.start_peak.value_or(Bytes()) - off_start;
  const Bytes serving = make_up.serving.value_or(Bytes()) - off_serving;
  return *need - std::max({start, serving, Bytes()});
}

using Saving = std::optional<MemorySaving>;

MemorySaving Measured(const char* change, std::string advice, Bytes saves) {
  return {change, std::move(advice), saves, true};
}

Bytes SumOfFirst(std::span<const RowMemory> rows, std::size_t count) {
  Bytes sum;
  for (const RowMemory& row : rows.first(std::min(count, rows.size()))) sum += row.rise;
  return sum;
}

std::vector<RowMemory> HeaviestFirst(const MemoryMakeUp& make_up) {
  std::vector<RowMemory> rows = make_up.rows;
  std::ranges::stable_sort(rows, std::greater(), &RowMemory::rise);
  return rows;
}

// By the peaks with so many and with half as many in flight; of a model that did not live so long,
// by what the heaviest rows took one by one, since those are what must fit at once.
Saving LessInFlight(const MemoryMakeUp& make_up) {
  const int fewer = (make_up.in_flight + 1) / 2;
  if (fewer == make_up.in_flight || make_up.open_loop) return std::nullopt;
  const auto& peaks = make_up.peak_by_in_flight;
  const auto now = peaks.find(make_up.in_flight);
  const auto then = peaks.find(fewer);
  Bytes off;
  if (now != peaks.end() && then != peaks.end()) {
    off = now->second - then->second;
  } else if (!make_up.rows.empty()) {
    const std::vector<RowMemory> rows = HeaviestFirst(make_up);
    off = SumOfFirst(rows, static_cast<std::size_t>(make_up.in_flight)) -
          SumOfFirst(rows, static_cast<std::size_t>(fewer));
  }
  const Bytes each(off.count() / (make_up.in_flight - fewer));
  return Measured("inFlight",
                  Sentence("serve %d row%s at once instead of %d, and let the others wait: each in "
                           "flight takes %s",
                           fewer, fewer == 1 ? "" : "s", make_up.in_flight, SizeText(each).c_str()),
                  Taken(make_up, Bytes(), off));
}

// The few rows in front of the widest gap.
Saving WithoutHeavyRows(const MemoryMakeUp& make_up) {
  if (make_up.rows.size() < kFewestRows) return std::nullopt;
  const std::vector<RowMemory> rows = HeaviestFirst(make_up);
  const auto most = std::max<std::size_t>(
      1, static_cast<std::size_t>(kExceptions * static_cast<double>(rows.size())));
  std::size_t heavy = 1;
  const auto gap = [&rows](std::size_t at) { return rows[at - 1].rise - rows[at].rise; };
  for (std::size_t at = 2; at <= most; ++at) {
    if (gap(at) > gap(heavy)) heavy = at;
  }
  // Rows that only begin a slope are the load as well.
  if (rows[heavy].rise > Scale(rows[0].rise, kGap)) return std::nullopt;
  const auto at_once = static_cast<std::size_t>(std::max(1, make_up.in_flight));
  const Bytes off = SumOfFirst(rows, at_once) - SumOfFirst(std::span(rows).subspan(heavy), at_once);
  const std::string which = heavy == 1 ? Sentence("row %lld", static_cast<long long>(rows[0].row))
                                       : Sentence("row %lld and %zu more",
                                                  static_cast<long long>(rows[0].row), heavy - 1);
  return Measured("rows",
                  "refuse or split rows like " + which + ": up to " + SizeText(rows[0].rise) +
                      " while they are served, the others" +
                      (make_up.rows_sampled ? " that were seen" : "") + " at most " +
                      SizeText(rows[heavy].rise),
                  Taken(make_up, Bytes(), off));
}

// Bytes of memory for a byte of request, where that explains what rows take.
std::optional<double> RiseOfAByte(const std::vector<RowMemory>& rows) {
  if (rows.size() < kFewestRows) return std::nullopt;
  std::vector<Point> points;
  for (const RowMemory& row : rows) {
    points.push_back(
        {static_cast<double>(row.size.count()), static_cast<double>(row.rise.count())});
  }
  const auto line = TheilSen(points);
  if (!line || line->slope <= 0) return std::nullopt;
  std::vector<double> rises;
  for (const Point& point : points) rises.push_back(point.y);
  const double usual = MedianOf(rises);
  std::vector<double> off_line;
  std::vector<double> off_usual;
  for (const Point& point : points) {
    off_line.push_back(std::abs(point.y - line->intercept - line->slope * point.x));
    off_usual.push_back(std::abs(point.y - usual));
  }
  if (MedianOf(off_line) > kNearLine * MedianOf(off_usual)) return std::nullopt;
  return line->slope;
}

Saving SmallerRows(const MemoryMakeUp& make_up) {
  const auto rise = RiseOfAByte(make_up.rows);
  if (!rise) return std::nullopt;
  const std::vector<RowMemory> rows = HeaviestFirst(make_up);
  const Bytes largest = std::ranges::max(rows, {}, &RowMemory::size).size;
  const Bytes half(largest.count() / 2);
  // The line knows nothing of rows smaller than those that were seen.
  if (half < std::ranges::min(rows, {}, &RowMemory::size).size) return std::nullopt;
  // The heaviest rows meet; none gives back more than it takes.
  Bytes off;
  const auto at_once = static_cast<std::size_t>(std::max(1, make_up.in_flight));
  for (const RowMemory& row : std::span(rows).first(std::min(at_once, rows.size()))) {
    const Bytes beyond = std::max(Bytes(), row.size - half);
    off += std::min(row.rise, Scale(beyond, *rise));
  }
  return Measured(
      "rowSize",
      Sentence("send rows of at most %.0f KiB instead of %.0f, as batches of half as many or "
               "smaller inputs: a kibibyte of request takes %.3g KiB",
               static_cast<double>(half.count()) / 1024,
               static_cast<double>(largest.count()) / 1024, *rise),
      Taken(make_up, Bytes(), off));
}

Saving FewerWorkers(const MemoryMakeUp& make_up) {
  const int enough =
      std::max({1, make_up.in_flight, static_cast<int>(std::ceil(make_up.busy_cores - 0.05))});
  if (!make_up.per_worker || make_up.workers <= enough) return std::nullopt;
  const int gone = make_up.workers - enough;
  const Bytes off(make_up.per_worker->count() * gone);
  // What they take before their first row is in the start's peak, and is no more than its part of
  // it.
  const Bytes start_each(make_up.start_peak.value_or(Bytes()).count() / make_up.workers);
  const Bytes off_start(std::min(*make_up.per_worker, start_each).count() * gone);
  return Measured(
      "workers",
      Sentence("start %d instead of %d processes: this load keeps %.1f cores busy, with %d in "
               "flight, and each process has %s for itself",
               enough, make_up.workers, make_up.busy_cores, make_up.in_flight,
               SizeText(*make_up.per_worker).c_str()),
      Taken(make_up, off_start, off));
}

// Parameters that are mapped from their files are no part of the need; and files that are larger
// than what was ever in memory are not what is served.
bool AreHeld(const MemoryMakeUp& make_up) {
  if (!make_up.parameters || make_up.mapped_file >= Scale(*make_up.parameters, kMapped)) {
    return false;
  }
  const auto need = make_up.Need();
  return !need || *need >= *make_up.parameters;
}

// Each worker has room for its own copy of the parameters.
int Copies(const MemoryMakeUp& make_up) {
  const auto need = make_up.Need();
  const Bytes all(make_up.parameters->count() * make_up.workers);
  const bool each = make_up.per_worker && *make_up.per_worker >= *make_up.parameters;
  return each && need && *need >= all ? make_up.workers : 1;
}

// Loaded before the fork, pages that nobody writes to are there once.
Saving LoadedBeforeTheFork(const MemoryMakeUp& make_up) {
  if (make_up.workers < 2 || !AreHeld(make_up)) return std::nullopt;
  const int copies = Copies(make_up);
  if (copies < 2) return std::nullopt;
  const Bytes off(make_up.parameters->count() * (copies - 1));
  return MemorySaving{"preload",
                      Sentence("load the model before the processes are forked (gunicorn's "
                               "--preload), if each of the %d loads its parameters of %s itself",
                               copies, SizeText(*make_up.parameters).c_str()),
                      Taken(make_up, off, off)};
}

Saving GentlerLoading(const MemoryMakeUp& make_up) {
  if (!make_up.start_peak || !make_up.serving) return std::nullopt;
  if (*make_up.start_peak <= *make_up.serving) return std::nullopt;
  return Measured("loading",
                  "load the weights tensor by tensor, or map them (safetensors, mmap, "
                  "low_cpu_mem_usage): loading takes " +
                      SizeText(*make_up.start_peak) + " at its peak, serving " +
                      SizeText(*make_up.serving),
                  Taken(make_up, *make_up.start_peak, Bytes()));
}

Saving SmallerType(const MemoryMakeUp& make_up) {
  if (!make_up.parameters_in_half || !AreHeld(make_up)) return std::nullopt;
  const int copies = Copies(make_up);
  const Bytes off((*make_up.parameters - *make_up.parameters_in_half).count() * copies);
  std::string advice = "store and load the parameters in bfloat16 or float16: " +
                       SizeText(*make_up.parameters_in_half) + " instead of " +
                       SizeText(*make_up.parameters);
  if (copies > 1) advice += Sentence(", in each of %d processes", copies);
  return MemorySaving{"precision", advice + "; activations shrink likewise",
                      Taken(make_up, off, off)};
}

Saving FewerArenas(const MemoryMakeUp& make_up) {
  if (!make_up.arenas || make_up.arenas->with >= make_up.arenas->without) return std::nullopt;
  const Bytes off = make_up.arenas->without - make_up.arenas->with;
  return Measured("arenas",
                  "set MALLOC_ARENA_MAX=2: under the same load it took " +
                      SizeText(make_up.arenas->with) + " with it and " +
                      SizeText(make_up.arenas->without) + " without",
                  Taken(make_up, Bytes(), off));
}

}  // namespace

std::vector<RowMemory> KeepForSavings(std::vector<RowMemory> rows) {
  if (rows.size() <= 3 * kRowsKept) return rows;
  std::vector<RowMemory> kept;
  const std::size_t step = rows.size() / kRowsKept;
  for (std::size_t at = 0; at < rows.size(); at += step) kept.push_back(rows[at]);
  const auto heaviest = [](const RowMemory& a, const RowMemory& b) { return a.rise > b.rise; };
  std::ranges::partial_sort(rows, rows.begin() + kRowsKept, heaviest);
  kept.insert(kept.end(), rows.begin(), rows.begin() + kRowsKept);
  kept.push_back(std::ranges::max(rows, {}, &RowMemory::size));
  std::ranges::sort(kept, {}, &RowMemory::row);
  const auto same = [](const RowMemory& a, const RowMemory& b) { return a.row == b.row; };
  kept.erase(std::unique(kept.begin(), kept.end(), same), kept.end());
  return kept;
}

std::optional<Bytes> MemoryMakeUp::Need() const { return std::max(start_peak, serving); }

std::vector<MemorySaving> FindMemorySavings(const MemoryMakeUp& make_up) {
  const Bytes least = std::max(kLeastSaving, Scale(make_up.Need().value_or(Bytes()), kLeastShare));
  std::vector<MemorySaving> savings;
  for (const auto& find : {LessInFlight, WithoutHeavyRows, SmallerRows, FewerWorkers,
                           LoadedBeforeTheFork, GentlerLoading, SmallerType, FewerArenas}) {
    if (const Saving saving = find(make_up); saving && saving->saves >= least) {
      savings.push_back(*saving);
    }
  }
  std::ranges::stable_sort(savings, std::greater(), &MemorySaving::saves);
  return savings;
}

std::string Sentence(const MemorySaving& saving) {
  return saving.advice + "; saves " + SizeText(saving.saves) +
         (saving.measured ? " (measured)" : " (estimated)");
}

}  // namespace mlprof::server
