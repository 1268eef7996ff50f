#include "server/profiling/phases/row_order.h"

#include <set>
#include <utility>

namespace mlprof::server::phases {

std::string OrderNote(std::span<const RequestRecord> in_order,
                      std::span<const RequestRecord> replay) {
  std::set<std::uint32_t> answered;
  for (const RequestRecord& request : in_order) {
    if (request.Succeeded()) answered.insert(request.row);
  }
  std::set<std::uint32_t> broken;
  for (const RequestRecord& request : replay) {
    if (!request.Succeeded() && answered.contains(request.row)) broken.insert(request.row);
  }
  if (broken.empty()) return "";
  return "\n" + std::to_string(broken.size()) +
         " of these rows were answered when they came in the dataset's own order and failed in "
         "another: the model may keep state between requests, which no client that shares it with "
         "others can rely on";
}

tl::unexpected<RunEnd> NameOrder(RunEnd end, std::span<const RequestRecord> in_order,
                                 std::span<const RequestRecord> replay) {
  if (end.error) end.error->message += OrderNote(in_order, replay);
  return tl::unexpected<RunEnd>(std::move(end));
}

}  // namespace mlprof::server::phases
