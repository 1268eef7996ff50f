#include "server/profiling/phases/row_order.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mlprof::server::phases {
namespace {

// Of the requests in another order; what is left says nothing of how the model serves. Chosen.
constexpr double kMost = 0.5;

std::set<std::uint32_t> Answered(std::span<const RequestRecord> in_order) {
  std::set<std::uint32_t> rows;
  for (const RequestRecord& request : in_order) {
    if (request.Succeeded()) rows.insert(request.row);
  }
  return rows;
}

}  // namespace

bool OrderDecides(std::span<const RequestRecord> in_order, std::span<const RequestRecord> replay) {
  const std::set<std::uint32_t> answered = Answered(in_order);
  const auto broken =
      std::count_if(replay.begin(), replay.end(), [&](const RequestRecord& request) {
        return !request.Succeeded() && answered.contains(request.row);
      });
  return static_cast<double>(broken) > kMost * static_cast<double>(replay.size());
}

std::string OrderNote(std::span<const RequestRecord> in_order,
                      std::span<const RequestRecord> replay) {
  const std::set<std::uint32_t> answered = Answered(in_order);
  std::set<std::uint32_t> broken;
  for (const RequestRecord& request : replay) {
    if (!request.Succeeded() && answered.contains(request.row)) broken.insert(request.row);
  }
  if (broken.empty()) return "";
  return "\n" + std::to_string(broken.size()) +
         " of these rows were answered when they first came, in the dataset's own order, and "
         "failed "
         "in another: the model may keep state between requests, which no client that shares it "
         "with "
         "others can rely on";
}

tl::unexpected<RunEnd> NameOrder(RunEnd end, std::span<const RequestRecord> in_order,
                                 std::span<const RequestRecord> replay) {
  if (end.error) end.error->message += OrderNote(in_order, replay);
  return tl::unexpected<RunEnd>(std::move(end));
}

}  // namespace mlprof::server::phases
