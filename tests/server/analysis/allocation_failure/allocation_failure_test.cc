#include "server/analysis/allocation_failure/allocation_failure.h"

#include <gtest/gtest.h>

#include "tests/server/analysis/allocation_failure/logs.h"

namespace mlprof::server {
namespace {

using Runtime = AllocatingRuntime;

AllocationFailure Found(const std::string& name) {
  const std::string log = Log(LogsFolder() / (name + ".log"));
  EXPECT_FALSE(log.empty()) << name;
  const auto failure = FindAllocationFailure(log);
  EXPECT_TRUE(failure) << name;
  return failure.value_or(AllocationFailure());
}

double Gib(const std::optional<Bytes>& bytes) { return bytes.value_or(Bytes()).gib(); }

TEST(AllocationFailureTest, ReadsTheOperatorsErrorOfTensorFlow) {
  const AllocationFailure failure = Found("tensorflow_eager_cpu");
  EXPECT_EQ(failure.runtime, Runtime::kTensorFlow);
  EXPECT_FALSE(failure.on_device);
  EXPECT_EQ(failure.device, "CPU:0");
  EXPECT_EQ(failure.allocator, "mklcpu");
  EXPECT_EQ(failure.shape, (std::vector<std::int64_t>{8192, 8192, 64}));
  EXPECT_EQ(failure.type, "float");
  EXPECT_EQ(failure.op, "Fill");
  EXPECT_EQ(Gib(failure.asked), 16) << "the tensor's size by its shape and type";
  EXPECT_EQ(Sentence(failure),
            "TensorFlow could not allocate 16 GiB on CPU:0 for a tensor of shape [8192,8192,64] "
            "and type float (operator Fill, allocator mklcpu)");
}

TEST(AllocationFailureTest, AddsWhatTheAllocatorsSummaryTellsOfADevice) {
  const AllocationFailure failure = Found("tensorflow_gpu_graph");
  EXPECT_TRUE(failure.on_device);
  EXPECT_EQ(failure.device, "GPU:0");
  EXPECT_EQ(failure.op, "conv2_block1/Conv2D");
  EXPECT_EQ(failure.limit, Bytes(11345264640));
  EXPECT_EQ(failure.in_use, Bytes(10329396736));
  EXPECT_NEAR(Gib(failure.asked), 1.531, 0.001);
}

TEST(AllocationFailureTest, ReadsTheOldestTensorFlowsAndASummaryAlone) {
  const AllocationFailure oldest = Found("tensorflow_oldest");
  EXPECT_EQ(oldest.shape.size(), 3U);
  EXPECT_FALSE(oldest.asked) << "its type is not told";
  EXPECT_EQ(oldest.op, "encoder/MatMul");
  const AllocationFailure alone = Found("tensorflow_bfc_alone");
  EXPECT_TRUE(alone.on_device);
  EXPECT_EQ(alone.op, "Fill");
  EXPECT_EQ(Gib(alone.asked), 4);
  EXPECT_EQ(Gib(alone.limit), 6);
  EXPECT_EQ(Gib(alone.in_use), 3);
}

TEST(AllocationFailureTest, ReadsAllWordingsOfPyTorch) {
  const AllocationFailure old = Found("pytorch_until_2_0");
  EXPECT_EQ(old.device, "GPU:0");
  EXPECT_NEAR(Gib(old.asked), 1.5, 1e-9);
  EXPECT_NEAR(Gib(old.limit), 15.9, 1e-6);
  EXPECT_NEAR(Gib(old.in_use), 13.31, 1e-6);
  EXPECT_NEAR(Gib(old.reserved), 1.0, 1e-6);
  EXPECT_NEAR(old.free.value_or(Bytes()).mib(), 877.88, 1e-3);
  EXPECT_EQ(Found("pytorch_cached").device, "GPU:1");
  const AllocationFailure misspelt = Found("pytorch_2_1");
  EXPECT_NEAR(Gib(misspelt.limit), 23.65, 1e-6);
  EXPECT_NEAR(Gib(misspelt.reserved), 3.9, 1e-6);
  EXPECT_NEAR(Gib(misspelt.in_use), 22.58, 1e-6);
  const AllocationFailure newest = Found("pytorch_newest");
  EXPECT_EQ(newest.device, "GPU:2");
  EXPECT_NEAR(Gib(newest.limit), 79.25, 1e-6);
  EXPECT_NEAR(newest.free.value_or(Bytes()).mib(), 20.19, 1e-3);
  EXPECT_NEAR(Found("pytorch_private_pools").reserved.value_or(Bytes()).mib(), 797.79, 1e-3);
  const AllocationFailure host = Found("pytorch_cpu");
  EXPECT_FALSE(host.on_device);
  EXPECT_EQ(host.asked, Bytes(400000000000));
  EXPECT_EQ(Found("pytorch_cpu_1_13").asked, Bytes(400000000000));
}

TEST(AllocationFailureTest, ReadsTheCompilersReportOfATpu) {
  const AllocationFailure failure = Found("xla_tpu_compile");
  EXPECT_TRUE(failure.on_device);
  EXPECT_EQ(failure.device, "hbm");
  EXPECT_NEAR(Gib(failure.asked), 18.9, 1e-6);
  EXPECT_NEAR(Gib(failure.limit), 15.48, 1e-6);
  EXPECT_NEAR(Gib(failure.unpadded), 9.75, 1e-6);
  EXPECT_NEAR(Gib(failure.padded), 18.75, 1e-6);
  ASSERT_EQ(failure.largest.size(), 2U);
  EXPECT_EQ(Gib(failure.largest[0].size), 8);
  EXPECT_EQ(failure.largest[1].op, "jit(step)/jit(main)/broadcast_in_dim");
  EXPECT_EQ(failure.largest[1].shape, "bf16[64,1048576,3]{1,2,0:T(8,128)(2,1)}");
  EXPECT_EQ(failure.largest[1].unpadded, MiB(384));
  EXPECT_EQ(failure.largest[1].kind, "HLO temp");
}

TEST(AllocationFailureTest, ReadsThePeakBuffersOfAProgramForAGpu) {
  const AllocationFailure failure = Found("xla_gpu_peak_buffers");
  EXPECT_TRUE(failure.on_device);
  EXPECT_EQ(Gib(failure.asked), 9);
  ASSERT_EQ(failure.largest.size(), 2U);
  EXPECT_EQ(Gib(failure.largest[0].size), 6);
  EXPECT_TRUE(failure.largest[0].op.starts_with("jit(run)/jit(main)/encoder/dot_general"));
  EXPECT_EQ(failure.largest[0].shape, "f32[256,6291456]");
  EXPECT_EQ(failure.largest[0].label, "custom-call");
  EXPECT_EQ(failure.largest[1].shape, "f32[65536,6144]");
  EXPECT_EQ(failure.largest[1].kind, "parameter");
}

TEST(AllocationFailureTest, ReadsTheVectorMemoryOfATpusKernel) {
  const AllocationFailure failure = Found("xla_tpu_vmem_scoped");
  EXPECT_EQ(failure.device, "vmem");
  EXPECT_EQ(failure.op, "flash_attention.1");
  EXPECT_NEAR(failure.asked.value_or(Bytes()).mib(), 37.22, 1e-3);
  EXPECT_EQ(failure.limit, MiB(32));
}

TEST(AllocationFailureTest, ReadsBuffersBehindALoggersPrefix) {
  const auto failure = FindAllocationFailure(
      "(E pid=1) ERROR [core.py:1] RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. "
      "Used "
      "40.00M of 32.00M vmem. Exceeded vmem capacity by 8.00M.\n"
      "(E pid=1) ERROR [core.py:1]   1. Size: 4.00M\n"
      "(E pid=1) ERROR [core.py:1]      Shape: bf16[8,2048,128]{2,1,0:T(16,128)(2,1)}\n"
      "(E pid=1) ERROR [core.py:1]      Allocation type: scoped\n");
  ASSERT_TRUE(failure);
  ASSERT_EQ(failure->largest.size(), 1U);
  EXPECT_EQ(failure->largest[0].size, MiB(4));
  EXPECT_EQ(failure->largest[0].shape, "bf16[8,2048,128]{2,1,0:T(16,128)(2,1)}");
  EXPECT_EQ(failure->largest[0].kind, "scoped");
}

TEST(AllocationFailureTest, ReadsTheChunksThatTakeMost) {
  const AllocationFailure failure = Found("tensorflow_bfc_chunks");
  EXPECT_EQ(failure.op, "model/dense/MatMul");
  ASSERT_EQ(failure.largest.size(), 3U);
  EXPECT_EQ(failure.largest[0].size, Bytes(235929600));
  EXPECT_EQ(failure.largest[0].kind, "19 chunks");
  EXPECT_EQ(failure.largest[1].kind, "1 chunk");
  EXPECT_EQ(failure.largest[2].kind, "312 chunks");
}

TEST(AllocationFailureTest, LooksPastHundredsOfWarningsThatAreNone) {
  std::string log = "RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[4] and type float\n";
  for (int i = 0; i < 500; ++i) log += "OOM when allocating tensor with shape[was avoided\n";
  EXPECT_TRUE(FindAllocationFailure(log));
}

TEST(AllocationFailureTest, TellsXlasDevicesFromItsHost) {
  EXPECT_FALSE(Found("jax_cpu").on_device);
  EXPECT_EQ(Gib(Found("jax_cpu").asked), 1024);
  EXPECT_EQ(Sentence(Found("jax_cpu")), "XLA could not allocate 1 TiB on the CPU");
  EXPECT_TRUE(Found("jax_gpu").on_device);
  EXPECT_EQ(Found("jax_gpu").runtime, Runtime::kXla) << "it shares TensorFlow's allocator";
  EXPECT_EQ(Gib(Found("jax_gpu").asked), 64);
  EXPECT_TRUE(Found("xla_tpu_runtime").on_device);
  EXPECT_NEAR(Gib(Found("xla_tpu_runtime").free), 5.86, 1e-6);
}

TEST(AllocationFailureTest, ReadsOnnxRuntimeNumPyAndTheLanguages) {
  EXPECT_EQ(Found("onnx_runtime").op, "MatMul 'scores'");
  EXPECT_EQ(Gib(Found("onnx_runtime").asked), 64);
  EXPECT_EQ(Found("onnx_runtime_arena").free, Bytes(1048576));
  const AllocationFailure numpy = Found("numpy");
  EXPECT_EQ(numpy.runtime, Runtime::kNumPy);
  EXPECT_EQ(numpy.shape, (std::vector<std::int64_t>{1000000, 1000000}));
  EXPECT_EQ(numpy.type, "float64");
  EXPECT_EQ(Found("python").runtime, Runtime::kPython);
  EXPECT_EQ(Found("cpp").runtime, Runtime::kCpp);
  EXPECT_EQ(Found("cuda").runtime, Runtime::kCuda);
  EXPECT_TRUE(Found("cuda").on_device);
  EXPECT_FALSE(Found("cuda_host").on_device) << "pinned memory of the host";
}

TEST(AllocationFailureTest, TakesNothingElseForMemory) {
  for (const char* name : {"of_something_else", "tensorflow_bfc_no_failure"}) {
    const auto failure = FindAllocationFailure(Log(LogsFolder() / (std::string(name) + ".log")));
    EXPECT_FALSE(failure) << name << ": " << failure->words;
  }
}

TEST(AllocationFailureTest, TakesTheLastOfSeveralAndQuotesItsLine) {
  const std::string log =
      "RESOURCE_EXHAUSTED: Out of memory allocating 1000 bytes.\nand then\n"
      "RESOURCE_EXHAUSTED: Out of memory allocating 2000 bytes.\r\n";
  const auto failure = FindAllocationFailure(log);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->asked, Bytes(2000));
  EXPECT_EQ(failure->words, "RESOURCE_EXHAUSTED: Out of memory allocating 2000 bytes.");
}

TEST(AllocationFailureTest, ReadsTheShortWordsOfDevices) {
  EXPECT_EQ(Found("torch_accelerator").runtime, Runtime::kCuda);
  EXPECT_TRUE(Found("torch_accelerator").on_device);
  const AllocationFailure onnx = Found("onnx_runtime_cuda");
  EXPECT_EQ(onnx.runtime, Runtime::kOnnxRuntime);
  EXPECT_EQ(onnx.device, "GPU:1");
  const AllocationFailure xla = Found("xla_device_request");
  EXPECT_TRUE(xla.on_device);
  EXPECT_EQ(xla.asked, GiB(8));
  EXPECT_EQ(xla.device, "device 0");
  EXPECT_FALSE(FindAllocationFailure("disk error: out of memory of mine"));
}

TEST(AllocationFailureTest, ReadsAnErrorThatAServerQuotes) {
  EXPECT_EQ(Found("python_in_json").runtime, Runtime::kPython);
  EXPECT_FALSE(FindAllocationFailure("we raise MemoryError when it is full"));
  EXPECT_FALSE(FindAllocationFailure(R"({"errors": {"MemoryError": 0}})"));
}

TEST(AllocationFailureTest, AWarningThatIsNoFailureDoesNotHideTheSummary) {
  const AllocationFailure failure = Found("tensorflow_warned_after");
  EXPECT_EQ(failure.limit, GiB(6));
  EXPECT_EQ(failure.in_use, GiB(5));
}

TEST(AllocationFailureTest, ASummaryOfAnotherAllocatorIsNotTaken) {
  std::string log = Log(LogsFolder() / "tensorflow_warned_after.log");
  log.replace(log.rfind("GPU_0_bfc"), 9, "GPU_1_bfc");
  const auto failure = FindAllocationFailure(log);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->allocator, "GPU_1_bfc");
  EXPECT_FALSE(failure->limit);
}

}  // namespace
}  // namespace mlprof::server
