#include "server/analysis/allocation_failure/allocation_advice.h"

#include <algorithm>
#include <array>

#include "server/analysis/sentence.h"

namespace mlprof::server {
namespace {

// Less is not worth a change.
constexpr double kWorthSaving = 0.05;

struct Advised {
  std::string text;
  Bytes gain = {};  // 0: no number is known
};

std::string Size(Bytes bytes) {
  return bytes >= GiB(1) ? Sentence("%.1f GiB", bytes.gib()) : Sentence("%.0f MiB", bytes.mib());
}

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
  return Advised{"use bfloat16 or float16: this tensor takes " + Size(left) + " instead of " +
                     Size(*failure.asked) +
                     " (estimated), and parameters and activations "
                     "of the same type as much less",
                 *failure.asked - left};
}

std::optional<Advised> SmallerBatch(const AllocationFailure& failure) {
  if (!failure.asked || failure.shape.size() < 2 || failure.shape.front() < 2) return std::nullopt;
  const std::int64_t batch = failure.shape.front();
  const Bytes each(failure.asked->count() / batch);
  return Advised{
      Sentence("send smaller batches: if the %lld of its shape's first dimension are "
               "rows, one takes %s, and half of them %s instead of %s (estimated)",
               static_cast<long long>(batch), Size(each).c_str(),
               Size(Bytes(each.count() * (batch / 2))).c_str(), Size(*failure.asked).c_str()),
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
          Size(padding) + " of " + Size(*failure.padded) + " (as the compiler reports)",
      padding};
}

std::optional<Advised> WholePieces(const AllocationFailure& failure) {
  if (failure.runtime != AllocatingRuntime::kPyTorch || !failure.reserved || !failure.asked ||
      *failure.reserved < *failure.asked) {
    return std::nullopt;
  }
  return Advised{"set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: the allocator holds " +
                     Size(*failure.reserved) + " unused, in pieces, and " + Size(*failure.asked) +
                     " were asked for",
                 *failure.reserved};
}

// One request that alone is larger than the limit is no matter of how full it was.
std::optional<Advised> LargerThanTheLimit(const AllocationFailure& failure,
                                          const std::optional<Bytes>& limit) {
  if (failure.on_device || !limit || !failure.asked || *failure.asked <= *limit) {
    return std::nullopt;
  }
  return Advised{"look at what asked for so much: this one allocation of " + Size(*failure.asked) +
                     " is larger than the limit of " + Size(*limit) +
                     ", however much else is freed; a shape or a batch that is larger than it was "
                     "meant to be asks so",
                 *failure.asked};
}

std::vector<std::string> WithoutNumbers(const AllocationFailure& failure) {
  if (!failure.on_device) {
    return {
        "allow more memory with --memory-gb (containerResourceRequirements.memoryInGb), if "
        "what was asked for is what it should be",
        "send fewer rows at once or in smaller batches, or load the model in a smaller type"};
  }
  std::vector<std::string> advice = {
      "send fewer rows at once, or in smaller batches: activations grow with them",
      "load the model in a smaller type (bfloat16, float16), which halves parameters and "
      "activations"};
  if (failure.runtime == AllocatingRuntime::kTensorFlow) {
    advice.emplace_back(
        "set TF_FORCE_GPU_ALLOW_GROWTH=true where another process uses the same device");
  }
  if (failure.runtime == AllocatingRuntime::kXla) {
    advice.emplace_back(
        "set XLA_PYTHON_CLIENT_MEM_FRACTION, or XLA_PYTHON_CLIENT_PREALLOCATE=false where another "
        "process uses the same device");
  }
  return advice;
}

}  // namespace

std::vector<std::string> AdviceFor(const AllocationFailure& failure,
                                   const std::optional<Bytes>& limit) {
  std::vector<Advised> numbered;
  for (auto& advised : {LargerThanTheLimit(failure, limit), WholePieces(failure),
                        LessPadding(failure), SmallerType(failure), SmallerBatch(failure)}) {
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
