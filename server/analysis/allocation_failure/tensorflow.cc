// TensorFlow: the error of an operator, eager or of a graph, and the summary of its best-fit
// allocator with coalescing (BFC), which is logged before.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "server/analysis/allocation_failure/recogniser.h"
#include "server/analysis/allocation_failure/text_scan.h"

namespace mlprof::server {
namespace {

constexpr std::string_view kRanOut = ") ran out of memory trying to allocate ";
// The summary is logged for each failure, before its error; of one with many chunks it is long.
constexpr std::size_t kSummary = 256UL * 1024;
constexpr int kMostSummaries = 8;
constexpr std::size_t kNameOfAllocator = 100;
constexpr std::size_t kLongestMessage = 1024;
constexpr std::size_t kDigits = 18;
constexpr std::size_t kNameOfOperator = 2000;  // behind the error, in the same message

constexpr std::size_t kMostDimensions = 254;  // TensorFlow's own bound

struct TypeSize {
  std::string_view type;
  std::int64_t bytes;
};
constexpr std::array<TypeSize, 15> kTypes = {{{"float", 4},
                                              {"half", 2},
                                              {"bfloat16", 2},
                                              {"double", 8},
                                              {"int8", 1},
                                              {"uint8", 1},
                                              {"bool", 1},
                                              {"int16", 2},
                                              {"uint16", 2},
                                              {"int32", 4},
                                              {"uint32", 4},
                                              {"int64", 8},
                                              {"uint64", 8},
                                              {"complex64", 8},
                                              {"complex128", 16}}};

std::optional<Bytes> TensorSize(const std::vector<std::int64_t>& shape, std::string_view type) {
  for (const TypeSize& known : kTypes) {
    if (known.type != type) continue;
    std::int64_t bytes = known.bytes;
    for (const std::int64_t extent : shape) {
      if (extent < 0) return std::nullopt;
      if (extent > 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent) {
        return std::nullopt;
      }
      bytes *= extent;
    }
    return Bytes(bytes);
  }
  return std::nullopt;
}

bool IsDevice(std::string_view name) { return name.starts_with("GPU") || name.starts_with("TPU"); }

// "/job:localhost/replica:0/task:0/device:GPU:0"
std::string_view DeviceOf(std::string_view path) {
  constexpr std::string_view kDevice = "device:";
  const std::size_t at = path.rfind(kDevice);
  return at == std::string_view::npos ? path : path.substr(at + kDevice.size());
}

// "[Op:Fill]" of eager mode; "[[node name (defined at …)]]", "[[{{node name}}]]" or, long ago,
// "[[Node: name = …]]" of a graph.
std::string OperatorBehind(TextScan scan) {
  TextScan eager = scan;
  if (eager.SkipTo("[Op:", kNameOfOperator)) return std::string(eager.Until("]"));
  TextScan node = scan;
  if (!scan.SkipTo("node ", kNameOfOperator)) {
    if (!node.SkipTo("[[Node: ", kNameOfOperator)) return "";
    scan = node;
  }
  return std::string(scan.Until(" }]"));
}

// "19 Chunks of size 2359296 totalling 42.75MiB": those in use, by size. The sizes that take most.
void ReadChunks(std::string_view summary, AllocationFailure& failure) {
  constexpr std::string_view kChunks = " Chunks of size ";
  constexpr std::size_t kMostSizes = 4096;
  struct Chunks {
    std::int64_t count = 0;
    Bytes size;
    Bytes total;
  };
  std::vector<Chunks> sizes;
  std::size_t at = summary.find(kChunks);
  for (std::size_t tries = 0; at != std::string_view::npos && tries < kMostSizes;
       ++tries, at = summary.find(kChunks, at + 1)) {
    std::size_t count = at;
    while (count > 0 && at - count < kDigits && summary[count - 1] >= '0' &&
           summary[count - 1] <= '9')
      --count;
    TextScan number(summary.substr(count, at - count));
    TextScan scan(summary.substr(at + kChunks.size()));
    const auto many = number.Integer();
    const auto size = scan.Size();
    if (!many || !size || !scan.Skip(" totalling ")) continue;
    sizes.push_back({*many, *size, scan.Size().value_or(Bytes())});
  }
  std::ranges::stable_sort(sizes, std::greater(), &Chunks::total);
  for (const Chunks& chunks : sizes) {
    if (failure.largest.size() == kMostBuffers) return;
    ReportedBuffer buffer{chunks.size};
    buffer.kind = std::to_string(chunks.count) + (chunks.count == 1 ? " chunk" : " chunks");
    failure.largest.push_back(buffer);
  }
}

std::optional<AllocationFailure> ParseRanOut(std::string_view text, std::size_t at) {
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kTensorFlow;
  TextScan message(text.substr(at, kLongestMessage));
  if (message.SkipTo("caller indicates that this is not a failure")) return std::nullopt;
  const std::size_t from = at - std::min(at, kNameOfAllocator);
  const std::string_view before = text.substr(from, at - from);
  const std::size_t open = before.rfind('(');
  if (open == std::string_view::npos) return std::nullopt;
  failure.allocator = before.substr(open + 1);
  failure.on_device = IsDevice(failure.allocator);
  TextScan scan(text.substr(at));
  scan.Skip(kRanOut);
  failure.asked = scan.Size();
  if (!failure.asked) return std::nullopt;
  TextScan op = scan;
  if (op.SkipTo("requested by op ")) failure.op = op.Until(" \r");
  const std::string_view summary = scan.left().substr(0, kSummary);
  for (const auto& [name, value] :
       {std::pair{"\nLimit:", &failure.limit}, std::pair{"\nInUse:", &failure.in_use}}) {
    TextScan figure(summary);
    if (!figure.SkipTo(name, summary.size())) continue;
    while (figure.Skip(" ")) {
    }
    *value = figure.Size();
  }
  // That of another failure, which follows, begins in the same words.
  ReadChunks(summary.substr(0, summary.find(kRanOut)), failure);
  return failure;
}

// The allocator's summary before an error tells what the error does not.
void AddSummary(std::string_view before, AllocationFailure& failure) {
  const std::size_t from = before.size() - std::min(before.size(), kSummary);
  std::optional<AllocationFailure> summary;
  std::string_view left = before.substr(from);
  // Warnings that are no failure, and other allocators' summaries, may stand between.
  for (int tries = 0; tries < kMostSummaries && !summary; ++tries) {
    const std::size_t at = left.rfind(kRanOut);
    if (at == std::string_view::npos) return;
    summary = ParseRanOut(before, from + at);
    const bool of_another =
        summary && !failure.allocator.empty() && summary->allocator != failure.allocator;
    if (of_another) summary.reset();
    left = left.substr(0, at);
  }
  if (!summary) return;
  failure.in_use = summary->in_use;
  failure.largest = std::move(summary->largest);
  failure.limit = summary->limit;
  if (!failure.asked) failure.asked = summary->asked;
  if (failure.op.empty()) failure.op = summary->op;
}

std::optional<AllocationFailure> ParseTensor(std::string_view text, std::size_t at) {
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kTensorFlow;
  TextScan scan(text.substr(at));
  scan.Skip("OOM when allocating tensor with shape[");
  while (failure.shape.size() < kMostDimensions) {
    const auto extent = scan.Integer();
    if (!extent) break;
    failure.shape.push_back(*extent);
    if (!scan.Skip(",")) break;
  }
  if (!scan.Skip("]")) return std::nullopt;
  if (scan.Skip(" and type ")) failure.type = scan.Until(" \r");
  if (scan.Skip(" on ")) failure.device = DeviceOf(scan.Until(" \r"));
  if (scan.Skip(" by allocator ")) failure.allocator = scan.Until(" \r[");
  failure.on_device = IsDevice(failure.device) || IsDevice(failure.allocator);
  failure.asked = TensorSize(failure.shape, failure.type);
  failure.op = OperatorBehind(scan);
  AddSummary(text.substr(0, at), failure);
  return failure;
}

constexpr std::array<Recogniser, 1> kOfTensorFlow = {
    {{"OOM when allocating tensor with shape[", ParseTensor}}};
constexpr std::array<Recogniser, 1> kOfSharedAllocator = {{{kRanOut, ParseRanOut}}};

}  // namespace

std::span<const Recogniser> TensorFlowRecognisers() { return kOfTensorFlow; }

std::span<const Recogniser> SharedAllocatorRecognisers() { return kOfSharedAllocator; }

}  // namespace mlprof::server
