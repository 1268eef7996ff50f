#include "server/profiling/phases/row_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace mlprof::server::phases {
namespace {

RequestRecord Answered(std::uint32_t row, std::uint16_t status) {
  RequestRecord request;
  request.row = row;
  request.http_status = status;
  return request;
}

TEST(RowOrderTest, NamesRowsThatFailedOnlyWhenTheyCameInAnotherOrder) {
  const std::vector<RequestRecord> in_order = {Answered(0, 200), Answered(1, 200),
                                               Answered(2, 500)};
  const std::vector<RequestRecord> shuffled = {Answered(2, 500), Answered(1, 500), Answered(0, 200),
                                               Answered(1, 500)};
  EXPECT_TRUE(OrderNote(in_order, shuffled).starts_with("\n1 of these rows"));
  const RunEnd end{ProfileState::kFailed, ProfileError{"RowsFailed", "all failed", {}, ""}};
  EXPECT_NE(NameOrder(end, in_order, shuffled).value().error->message.find("own order"),
            std::string::npos);
}

TEST(RowOrderTest, DecidesWhereMostRowsFailInAnotherOrderAlone) {
  const std::vector<RequestRecord> in_order = {Answered(0, 200), Answered(1, 200),
                                               Answered(2, 500)};
  const std::vector<RequestRecord> most = {Answered(1, 500), Answered(0, 500), Answered(2, 500)};
  const std::vector<RequestRecord> few = {Answered(0, 200), Answered(1, 500), Answered(2, 500)};
  EXPECT_TRUE(OrderDecides(in_order, most));
  EXPECT_FALSE(OrderDecides(in_order, few));
}

TEST(RowOrderTest, SaysNothingOfRowsThatAlwaysFail) {
  const std::vector<RequestRecord> rows = {Answered(0, 200), Answered(2, 500)};
  EXPECT_EQ(OrderNote(rows, rows), "");
}

}  // namespace
}  // namespace mlprof::server::phases
