#include "server/analysis/malloc_arenas.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

ArenaEvidence Rising() { return {8, 1, {}, MiB(40), MiB(200)}; }

TEST(MallocArenasTest, ManyThreadsWhoseMemoryRisesUnderLoadAreSuspected) {
  EXPECT_TRUE(ArenasSuspected(Rising()));
}

TEST(MallocArenasTest, FewThreadsInEachProcessAreNot) {
  ArenaEvidence evidence = Rising();
  evidence.processes = 4;
  EXPECT_FALSE(ArenasSuspected(evidence));
  evidence.processes = 0;
  EXPECT_FALSE(ArenasSuspected(evidence));
}

TEST(MallocArenasTest, MemoryThatTheStartTookIsNoArenas) {
  ArenaEvidence evidence = Rising();
  evidence.start_peak = MiB(190);
  EXPECT_FALSE(ArenasSuspected(evidence));
}

TEST(MallocArenasTest, WhoeverDecidedItHimselfIsNotAsked) {
  for (const char* variable : {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES", "LD_PRELOAD"}) {
    ArenaEvidence evidence = Rising();
    evidence.environment[variable] = "1";
    EXPECT_FALSE(ArenasSuspected(evidence)) << variable;
  }
}

}  // namespace
}  // namespace mlprof::server
