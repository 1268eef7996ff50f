#include "server/rest/event_stream.h"

#include <gtest/gtest.h>

namespace mlprof {
namespace {

TEST(FormatEventTest, KeepsTheDataOnOneLine) {
  EXPECT_EQ(FormatEvent({7, "log", {{"text", "a\nb"}}}),
            "id: 7\nevent: log\ndata: {\"text\":\"a\\nb\"}\n\n");
}

}  // namespace
}  // namespace mlprof
