#include "common/result/http_status.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

constexpr ErrorCode kFirst = ErrorCode::kInvalidArgument;
constexpr ErrorCode kLast = ErrorCode::kCancelled;

TEST(HttpStatusTest, EveryErrorCodeHasAStatusThatLeadsBack) {
  for (int i = static_cast<int>(kFirst); i <= static_cast<int>(kLast); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    const int status = HttpStatusOf(code);
    EXPECT_GE(status, 400) << Name(code);
    if (code != ErrorCode::kCancelled) {
      EXPECT_EQ(ErrorCodeOf(status), code) << Name(code);
    }
  }
  EXPECT_EQ(ErrorCodeOf(HttpStatusOf(ErrorCode::kCancelled)), ErrorCode::kUnavailable);
}

TEST(HttpStatusTest, AStatusWithoutACodeIsTheFaultOfTheSideItNames) {
  EXPECT_EQ(ErrorCodeOf(405), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorCodeOf(431), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorCodeOf(502), ErrorCode::kInternal);
  EXPECT_EQ(ErrorCodeOf(302), ErrorCode::kInternal);
}

}  // namespace
}  // namespace mlprof
