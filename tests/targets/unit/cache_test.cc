#include "tests/targets/target/cache.h"

#include <gtest/gtest.h>

namespace target {
namespace {

TEST(InputCacheTest, KeepsEachInputOnce) {
  InputCache cache(0);
  for (int pass = 0; pass < 3; ++pass) {
    cache.Keep("a", 100);
    cache.Keep("b", 200);
  }
  EXPECT_EQ(cache.bytes(), 300u);
}

TEST(InputCacheTest, LetsTheOldestGoAtItsBound) {
  InputCache cache(250);
  cache.Keep("a", 100);
  cache.Keep("b", 100);
  cache.Keep("c", 100);
  EXPECT_EQ(cache.bytes(), 200u);
  cache.Keep("b", 100);  // it is still there
  EXPECT_EQ(cache.bytes(), 200u);
  cache.Keep("a", 40);  // it had gone
  EXPECT_EQ(cache.bytes(), 240u);
}

TEST(InputCacheTest, LeavesOutWhatIsLargerThanItsBound) {
  InputCache cache(100);
  cache.Keep("a", 80);
  cache.Keep("b", 101);
  EXPECT_EQ(cache.bytes(), 80u);
}

}  // namespace
}  // namespace target
