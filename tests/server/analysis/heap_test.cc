#include "server/analysis/heap.h"

#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

TEST(HeapTest, RecognisesAFullHeapByItsRuntimesWords) {
  EXPECT_EQ(FullHeapWords("x\njava.lang.OutOfMemoryError: Java heap space\n"),
            "java.lang.OutOfMemoryError");
  EXPECT_EQ(FullHeapWords("Exception of type 'System.OutOfMemoryException' was thrown."),
            "System.OutOfMemoryException");
  EXPECT_EQ(FullHeapWords("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out "
                          "of memory"),
            "JavaScript heap out of memory");
  EXPECT_EQ(FullHeapWords("terminate called after throwing an instance of 'std::bad_alloc'"),
            "std::bad_alloc");
  EXPECT_EQ(FullHeapWords("Traceback (most recent call last):\nMemoryError"), "MemoryError");
  EXPECT_EQ(FullHeapWords("ResourceExhaustedError: OOM when allocating tensor with shape[64,512] "
                          "and type float on /job:localhost/device:CPU:0 by allocator cpu"),
            "OOM when allocating tensor");
  EXPECT_EQ(FullHeapWords("RuntimeError: [enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: "
                          "can't allocate memory: you tried to allocate 4096 bytes"),
            "DefaultCPUAllocator: can't allocate memory");
}

TEST(HeapTest, TakesNoDevicesMemoryForIt) {
  EXPECT_FALSE(FullHeapWords("RuntimeError: CUDA error: Cannot allocate memory"));
  EXPECT_FALSE(FullHeapWords("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate"));
  EXPECT_FALSE(
      FullHeapWords("OOM when allocating tensor with shape[64,512] and type float on "
                    "/job:localhost/device:GPU:0 by allocator GPU_0_bfc"));
  // Of another line it may be.
  EXPECT_TRUE(FullHeapWords("cuda is not there\nMemoryError: Unable to allocate 8 GiB"));
}

TEST(HeapTest, SaysNothingWhereNothingIsSaid) {
  EXPECT_FALSE(FullHeapWords(""));
  EXPECT_FALSE(FullHeapWords("too many requests"));
}

TEST(HeapTest, TakesLessWhereTheDifferenceIsMoreThanChance) {
  EXPECT_TRUE(TakesLess(MiB(976), MiB(344)));
  EXPECT_FALSE(TakesLess(MiB(976), MiB(900)));
  // Little more than the grid.
  EXPECT_FALSE(TakesLess(MiB(60), MiB(40)));
  EXPECT_FALSE(TakesLess(MiB(300), MiB(400)));
}

TEST(HeapTest, ThatIsReservedByTheLimitIsRecognisedBeforeItIsFilled) {
  // A JVM: a quarter of the limit, beside what is the same under all of them.
  const Reserved ceiling{GiB(8), MiB(1500) + GiB(2)};
  EXPECT_TRUE(ReservesByLimit(ceiling, {MiB(448), MiB(1500 + 112)}));
  EXPECT_TRUE(ReservesByLimit({GiB(1), MiB(1500 + 256)}, {MiB(448), MiB(1500 + 112)}));
  // Too little of the difference: stacks and arenas of a few threads more.
  EXPECT_FALSE(ReservesByLimit(ceiling, {MiB(448), MiB(1500 + 2048 - 200)}));
  EXPECT_FALSE(ReservesByLimit({GiB(1), MiB(90)}, {MiB(900), MiB(70)}));
  EXPECT_FALSE(ReservesByLimit(ceiling, {GiB(8), MiB(1500)}));
}

TEST(HeapTest, OfWhatWasNotToldNothingIsKnown) {
  EXPECT_FALSE(ReservesByLimit({GiB(8), Bytes()}, {MiB(448), GiB(1)}));
  EXPECT_FALSE(ReservesByLimit({GiB(8), GiB(3)}, {MiB(448), Bytes()}));
}

}  // namespace
}  // namespace mlprof::server
