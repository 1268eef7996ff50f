#include "server/profiling/phases/hopeless_load.h"

#include <algorithm>

#include "server/analysis/verdict.h"

namespace mlprof::server::phases {
namespace {

// Of what is acceptable. A model that reads its files back took 50 to 100 times as long; a slower
// minute of a host is less than this. Chosen, not measured.
constexpr double kFarTooSlow = 3;

}  // namespace

bool IsHopeless(const Yardstick& yardstick, const ReplayResult& sent,
                std::span<const Sample> samples, std::size_t least) {
  if (samples.empty()) return false;
  const PagesReadBack read_back{samples.back().file_refaults - samples.front().file_refaults,
                                std::ssize(sent.requests)};
  if (sent.requests.size() < least || read_back.few()) return false;
  const double slow_ms =
      kFarTooSlow * AcceptableMs(yardstick.reference, yardstick.workload.objective);
  return slow_ms > 0 && std::ranges::all_of(sent.requests, [&](const RequestRecord& request) {
           return request.latency_us > slow_ms * 1000;
         });
}

}  // namespace mlprof::server::phases
