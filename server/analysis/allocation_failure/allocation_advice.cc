#include "server/analysis/allocation_failure/allocation_advice.h"

#include <algorithm>
#include <array>

#include "common/units/size_text.h"
#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// Less is not worth a change.
constexpr double kWorthSaving = 0.05;

struct Advised {
  std::string text;
  Bytes gain = {};  // 0: no number is known
};

// 0 where a smaller type of floating numbers would not halve it.
double HalvedShare(const std::string& type) {
  constexpr std::array<std::string_view, 4> kFloat32 = {"float", "float32", "f32", "complex64"};
  constexpr std::array<std::string_view, 3> kFloat64 = {"double", "float64", "f64"};
  if (std::ranges::find(kFloat32, type) != kFloat32.end()) return 0.5;
  return std::ranges::find(kFloat64, type) != kFloat64.end() ? 0.75 : 0;
}

std::optional<Advised> SmallerType(const AllocationFailure& failure) {
  const double saved = HalvedShare(failure.type);
  if (!failure.asked || saved == 0) return std::nullopt;
  const Bytes left = Scale(*failure.asked, 1 - saved);
  return Advised{"use bfloat16 or float16: this tensor takes " + SizeText(left) + " instead of " +
                     SizeText(*failure.asked) +
                     " (estimated), and parameters and activations "
                     "of the same type as much less",
                 *failure.asked - left};
}

std::optional<Advised> SmallerBatch(const AllocationFailure& failure) {
  if (!failure.asked || failure.shape.size() < 2 || failure.shape.front() < 2) return std::nullopt;
  const std::int64_t batch = failure.shape.front();
  const Bytes each(failure.asked->count() / batch);
  return Advised{Sentence("send smaller batches: if the %lld of its shape's first dimension are "
                          "rows, one takes %s, and half of them %s instead of %s (estimated)",
                          static_cast<long long>(batch), SizeText(each).c_str(),
                          SizeText(Bytes(each.count() * (batch / 2))).c_str(),
                          SizeText(*failure.asked).c_str()),
                 Bytes(failure.asked->count() - each.count() * (batch / 2))};
}

std::optional<Advised> LessPadding(const AllocationFailure& failure) {
  if (!failure.padded || !failure.unpadded || *failure.padded <= *failure.unpadded) {
    return std::nullopt;
  }
  const Bytes padding = *failure.padded - *failure.unpadded;
  if (padding < Scale(*failure.padded, kWorthSaving)) return std::nullopt;
  return Advised{
      "make the last two dimensions multiples of 8 and 128, or transpose them: padding "
      "to such tiles takes " +
          SizeText(padding) + " of " + SizeText(*failure.padded) + " (as the compiler reports)",
      padding};
}

std::optional<Advised> WholePieces(const AllocationFailure& failure) {
  if (failure.runtime != AllocatingRuntime::kPyTorch || !failure.reserved || !failure.asked ||
      *failure.reserved < *failure.asked) {
    return std::nullopt;
  }
  return Advised{"set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: the allocator holds " +
                     SizeText(*failure.reserved) + " unused, in pieces, and " +
                     SizeText(*failure.asked) + " were asked for",
                 *failure.reserved};
}

// One request that alone is larger than the limit is no matter of how full it was.
std::optional<Advised> LargerThanTheLimit(const AllocationFailure& failure,
                                          const std::optional<Bytes>& limit) {
  if (failure.on_device || !limit || !failure.asked || *failure.asked <= *limit) {
    return std::nullopt;
  }
  return Advised{"look at what asked for so much: this one allocation of " +
                     SizeText(*failure.asked) + " is larger than the limit of " + SizeText(*limit) +
                     ", however much else is freed; a shape or a batch that is larger than it was "
                     "meant to be asks so",
                 *failure.asked};
}

constexpr std::int64_t kColours = 3;

// Images and what a layer makes of them, which shrinks with both of their sides. Four dimensions
// alone may be attention, or a filter's weights.
std::optional<Advised> SmallerImages(const AllocationFailure& failure) {
  constexpr std::size_t kDimensionsOfImages = 4;
  constexpr std::int64_t kSmallestSide = 16;
  if (!failure.asked || failure.shape.size() != kDimensionsOfImages) return std::nullopt;
  const auto& shape = failure.shape;
  const bool last = shape[3] == kColours && std::min(shape[1], shape[2]) >= kSmallestSide;
  const bool second =
      shape[1] == kColours && shape[0] != shape[1] && std::min(shape[2], shape[3]) >= kSmallestSide;
  const bool colours = last || second;
  const bool of_images = std::ranges::any_of(
      std::array<std::string_view, 6>{"Conv", "conv", "Pool", "pool", "Resize", "resize"},
      [&](std::string_view word) { return failure.op.find(word) != std::string::npos; });
  if (!colours && !of_images) return std::nullopt;
  const Bytes quarter = Scale(*failure.asked, 0.25);
  return Advised{
      "send smaller images, or pool earlier and with fewer filters: with half of their "
      "width and height this tensor takes " +
          SizeText(quarter) + " instead of " + SizeText(*failure.asked) +
          (colours ? " (estimated), in grey a third of it" : " (estimated)"),
      *failure.asked - quarter};
}

// What each runtime has for it, beyond what all have.
struct OfRuntime {
  AllocatingRuntime runtime;
  const char* on_host;
  const char* on_device;
};
constexpr std::array<OfRuntime, 5> kOfRuntimes = {{
    {AllocatingRuntime::kTensorFlow,
     "call the model as a tf.function and stream its input (tf.data): in eager mode what a layer "
     "made stays as long as Python holds it",
     "set TF_FORCE_GPU_ALLOW_GROWTH=true where another process uses the same device, and a hard "
     "cap for each (tf.config.set_logical_device_configuration with memory_limit)"},
    {AllocatingRuntime::kPyTorch,
     "serve under torch.inference_mode(), and freeze what is not trained: with gradients on, every "
     "activation is kept",
     "serve under torch.inference_mode(): with gradients on, every activation is kept; cap each "
     "process with torch.cuda.set_per_process_memory_fraction where several share the device"},
    {AllocatingRuntime::kXla,
     "give the inputs of a jitted function up to it (donate_argnums) where they are not used again",
     "set XLA_PYTHON_CLIENT_MEM_FRACTION, or XLA_PYTHON_CLIENT_PREALLOCATE=false where another "
     "process uses the same device; give up inputs that are not used again (donate_argnums)"},
    {AllocatingRuntime::kOnnxRuntime,
     "turn the session's arena off (enable_cpu_mem_arena = False), or let it grow by what is asked "
     "(arena_extend_strategy = kSameAsRequested)",
     "cap the provider with gpu_mem_limit, and let its arena grow by what is asked "
     "(arena_extend_strategy = kSameAsRequested)"},
    {AllocatingRuntime::kNumPy,
     "take the input in pieces, or map it (numpy.load with mmap_mode), rather than as one array",
     ""},
}};

std::vector<std::string> WithoutNumbers(const AllocationFailure& failure) {
  std::vector<std::string> advice;
  if (failure.on_device) {
    advice = {"send fewer rows at once, or in smaller batches: activations grow with them",
              "load the model in a smaller type (bfloat16, float16), which halves parameters and "
              "activations"};
  } else {
    advice = {
        "allow more memory with --memory-gb (containerResourceRequirements.memoryInGb), if "
        "what was asked for is what it should be",
        "send fewer rows at once or in smaller batches, or load the model in a smaller type"};
  }
  const auto* own = std::ranges::find(kOfRuntimes, failure.runtime, &OfRuntime::runtime);
  if (own == kOfRuntimes.end()) return advice;
  const std::string_view text = failure.on_device ? own->on_device : own->on_host;
  if (!text.empty()) advice.emplace_back(text);
  return advice;
}

}  // namespace

std::vector<std::string> AdviceFor(const AllocationFailure& failure,
                                   const std::optional<Bytes>& limit) {
  std::vector<Advised> numbered;
  for (auto& advised :
       {LargerThanTheLimit(failure, limit), WholePieces(failure), LessPadding(failure),
        SmallerType(failure), SmallerBatch(failure), SmallerImages(failure)}) {
    if (advised) numbered.push_back(*advised);
  }
  std::ranges::stable_sort(numbered,
                           [](const Advised& a, const Advised& b) { return a.gain > b.gain; });
  std::vector<std::string> advice;
  for (Advised& advised : numbered) advice.push_back(std::move(advised.text));
  for (std::string& text : WithoutNumbers(failure)) advice.push_back(std::move(text));
  return advice;
}

}  // namespace mlprof::server
