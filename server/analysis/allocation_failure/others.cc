// ONNX Runtime, NumPy, CUDA's own codes, and what the languages themselves say, which is least.
#include <array>

#include "server/analysis/allocation_failure/recogniser.h"
#include "server/analysis/allocation_failure/text_scan.h"

namespace mlprof::server {
namespace {

AllocationFailure Of(AllocatingRuntime runtime) {
  AllocationFailure failure;
  failure.runtime = runtime;
  return failure;
}

// "…/bfc_arena.cc:376 … Failed to allocate memory for requested buffer of size 68719476736", which
// stands behind "Non-zero status code returned while running MatMul node. Name:'scores'".
std::optional<AllocationFailure> ParseOnnxBuffer(std::string_view text, std::size_t at) {
  AllocationFailure failure = Of(AllocatingRuntime::kOnnxRuntime);
  TextScan scan(text.substr(at));
  scan.Skip("Failed to allocate memory for requested buffer of size ");
  const auto size = scan.Integer();
  if (!size || *size < 0) return std::nullopt;
  failure.asked = Bytes(*size);
  TextScan line(LineAt(text, at));
  if (line.SkipTo("while running ")) {
    failure.op = line.Until(" ");
    if (line.SkipTo("Name:'")) failure.op += " '" + std::string(line.Until("'")) + "'";
  }
  return failure;
}

// "Available memory of 1048576 is smaller than requested bytes of 4194304"
std::optional<AllocationFailure> ParseOnnxAvailable(std::string_view text, std::size_t at) {
  AllocationFailure failure = Of(AllocatingRuntime::kOnnxRuntime);
  TextScan scan(text.substr(at));
  scan.Skip("Available memory of ");
  const auto free = scan.Integer();
  if (!free || *free < 0 || !scan.Skip(" is smaller than requested bytes of ")) return std::nullopt;
  const auto asked = scan.Integer();
  if (!asked || *asked < 0) return std::nullopt;
  failure.asked = Bytes(*asked);
  failure.free = Bytes(*free);
  return failure;
}

// "Unable to allocate 7.45 GiB for an array with shape (1000000, 1000) and data type float64"
std::optional<AllocationFailure> ParseNumPy(std::string_view text, std::size_t at) {
  constexpr std::size_t kMostDimensions = 64;  // NumPy's own bound
  AllocationFailure failure = Of(AllocatingRuntime::kNumPy);
  TextScan scan(text.substr(at));
  scan.Skip("Unable to allocate ");
  failure.asked = scan.Size();
  if (!failure.asked || !scan.Skip(" for an array with shape (")) return std::nullopt;
  while (failure.shape.size() < kMostDimensions) {
    const auto extent = scan.Integer();
    if (!extent) break;
    failure.shape.push_back(*extent);
    scan.Skip(",");
    scan.Skip(" ");
  }
  if (scan.Skip(") and data type ")) failure.type = scan.Until(" \r\"'");
  return failure;
}

// A line of a traceback that begins with it, or a whole text in quotes, as a server's JSON has it;
// elsewhere it is a word of somebody's sentence.
std::optional<AllocationFailure> ParsePython(std::string_view text, std::size_t at) {
  const bool begins_line =
      at == 0 || text[at - 1] == '\n' || text[at - 1] == '"' || text[at - 1] == '\'';
  TextScan scan(text.substr(at));
  scan.Skip("MemoryError");
  const bool ends_word = scan.AtEnd() || scan.left().find_first_of("\r\n:\"'(") == 0;
  const bool is_key = scan.left().starts_with("\":");  // of somebody's counters
  if (!begins_line || !ends_word || is_key) return std::nullopt;
  return Of(AllocatingRuntime::kPython);
}

std::optional<AllocationFailure> ParseCpp(std::string_view, std::size_t) {
  return Of(AllocatingRuntime::kCpp);
}

// "failed to alloc 17179869184 bytes on host: CUDA_ERROR_OUT_OF_MEMORY" is of pinned host memory.
std::optional<AllocationFailure> ParseCuda(std::string_view text, std::size_t at) {
  AllocationFailure failure = Of(AllocatingRuntime::kCuda);
  failure.on_device = !text.substr(0, at).ends_with(" on host: ");
  return failure;
}

// torch.AcceleratorError and RuntimeError: "CUDA error: out of memory"; "HIP error: …".
std::optional<AllocationFailure> ParseTorchError(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  if (!before.ends_with("CUDA") && !before.ends_with("HIP")) return std::nullopt;
  AllocationFailure failure = Of(AllocatingRuntime::kCuda);
  failure.on_device = true;
  return failure;
}

// ONNX Runtime: "CUDA failure 2: out of memory ; GPU=0 ; hostname=…".
std::optional<AllocationFailure> ParseOnnxCuda(std::string_view text, std::size_t at) {
  AllocationFailure failure = Of(AllocatingRuntime::kOnnxRuntime);
  failure.on_device = true;
  TextScan scan(text.substr(at));
  if (scan.SkipTo("GPU=")) {
    if (const auto number = scan.Integer()) failure.device = "GPU:" + std::to_string(*number);
  }
  return failure;
}

constexpr std::array<Recogniser, 10> kOfOthers = {
    {{"Failed to allocate memory for requested buffer of size ", ParseOnnxBuffer},
     {"Available memory of ", ParseOnnxAvailable},
     {"Unable to allocate ", ParseNumPy},
     {"CUDA failure 2: out of memory", ParseOnnxCuda},
     {" error: out of memory", ParseTorchError},
     {"CUDA_ERROR_OUT_OF_MEMORY", ParseCuda},
     {"cudaErrorMemoryAllocation", ParseCuda},
     {"CUBLAS_STATUS_ALLOC_FAILED", ParseCuda},
     {"MemoryError", ParsePython},
     {"std::bad_alloc", ParseCpp}}};

}  // namespace

std::span<const Recogniser> OtherRecognisers() { return kOfOthers; }

}  // namespace mlprof::server
