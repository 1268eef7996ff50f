// XLA, as JAX and TensorFlow use it: the report of a compiler for a TPU whose program does not fit,
// and the errors of the allocators of a TPU, a GPU and the CPU, with the buffers that they name.
#include <algorithm>
#include <array>

#include "server/analysis/allocation_failure/recogniser.h"
#include "server/analysis/allocation_failure/text_scan.h"

namespace mlprof::server {
namespace {

constexpr std::size_t kReport = 64UL * 1024;
constexpr std::size_t kMostText = 300;

std::string Value(TextScan line) {
  std::string value(line.left().substr(0, kMostText));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\r')) value.pop_back();
  return value;
}

// Reads a line of a buffer; false where it is none.
bool ReadBufferLine(TextScan line, ReportedBuffer& buffer) {
  if (line.Skip("Operator: ")) {
    // op_name="jit(step)/dot_general" source_file=…
    TextScan name = line;
    buffer.op = name.SkipTo("op_name=\"") ? std::string(name.Until("\"")) : Value(line);
  } else if (line.Skip("Shape: ")) {
    buffer.shape = Value(line);
  } else if (line.Skip("Entry Parameter Subshape: ")) {
    buffer.shape = Value(line);
    buffer.kind = "parameter";
  } else if (line.Skip("Unpadded size: ")) {
    buffer.unpadded = line.Size();
  } else if (line.Skip("XLA label: ") || line.Skip("XLA Label: ")) {
    buffer.label = Value(line);
  } else if (line.Skip("Allocation type: ")) {
    buffer.kind = Value(line);
  } else {
    return false;
  }
  return true;
}

// "  1. Size: 2.00G" begins one of a TPU's report, "Size: 2.00GiB" one of a GPU's, behind the line
// "Buffer 1:".
std::optional<Bytes> BeginsBuffer(TextScan line) {
  if (!line.Skip("Size: ") && (!line.Integer() || !line.Skip(". Size: "))) return std::nullopt;
  return line.Size();
}

// What a logger set before the line, which may have brackets of its own.
TextScan BehindPrefix(TextScan line) {
  constexpr std::size_t kPrefix = 120;
  if (!line.SkipTo("] ", kPrefix)) return TextScan("");
  return line;
}

TextScan WithoutIndent(TextScan line) {
  while (line.Skip(" ") || line.Skip("\t")) {
  }
  return line;
}

void ReadReport(TextScan scan, AllocationFailure& failure) {
  TextScan report(scan.left().substr(0, kReport));
  while (!report.AtEnd()) {
    const TextScan whole(report.Line());
    for (TextScan line : {WithoutIndent(whole), WithoutIndent(BehindPrefix(whole))}) {
      if (const auto size = BeginsBuffer(line)) {
        if (failure.largest.size() == kMostBuffers) return;
        failure.largest.push_back({*size});
        break;
      }
      if (!failure.largest.empty()) {
        if (ReadBufferLine(line, failure.largest.back())) break;
      } else if (line.SkipTo("Unpadded (")) {
        failure.unpadded = line.Size();
        if (line.SkipTo("Padded (")) failure.padded = line.Size();
        break;
      }
    }
  }
}

// "Ran out of memory in memory space vmem while allocating on stack for %fusion.1 = bf16[…] ….
// Scoped allocation with size 37.22M and limit 32.00M exceeded scoped vmem limit by 5.22M."
bool ReadScoped(TextScan scan, AllocationFailure& failure) {
  constexpr std::size_t kMessage = 4096;
  TextScan op = scan;
  if (!scan.SkipTo("coped allocation with size ", kMessage)) return false;
  failure.asked = scan.Size();
  if (scan.Skip(" and limit ")) failure.limit = scan.Size();
  if (op.SkipTo(" for %")) failure.op = op.Until(" ");
  return failure.asked.has_value();
}

// "Ran out of memory in memory space hbm. Used 18.90G of 15.48G hbm. Exceeded hbm capacity by
// 3.42G.", then what takes it.
std::optional<AllocationFailure> ParseTpuCompiler(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  scan.Skip("Ran out of memory in memory space ");
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kXla;
  failure.on_device = true;
  failure.device = scan.Until(" .");
  if (!scan.Skip(". Used ")) {
    return ReadScoped(scan, failure) ? std::optional(failure) : std::nullopt;
  }
  failure.asked = scan.Size();
  if (scan.Skip(" of ")) failure.limit = scan.Size();
  if (!failure.asked) return std::nullopt;
  ReadReport(scan, failure);
  if (!failure.largest.empty()) failure.op = failure.largest.front().op;
  return failure;
}

// "Attempting to allocate 1.00G. That was not possible. There are 512.00M free."
std::optional<AllocationFailure> ParseTpuAllocator(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  scan.Skip("Attempting to ");
  if (!scan.Skip("allocate ") && !scan.Skip("reserve ")) return std::nullopt;
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kXla;
  failure.on_device = true;
  failure.asked = scan.Size();
  if (!failure.asked || !scan.SkipTo("There are ")) return std::nullopt;
  failure.free = scan.Size();
  return failure.free ? std::optional(failure) : std::nullopt;
}

// Of devices alone: the CPU's has other words, those below.
std::optional<AllocationFailure> ParseDeviceAllocator(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  scan.Skip("Out of memory while trying to allocate ");
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kXla;
  failure.on_device = true;
  failure.asked = scan.Size();
  if (!failure.asked) return std::nullopt;
  // Of the program that asked, not of one whose message is far behind.
  constexpr std::size_t kStatistics = 2048;
  if (scan.SkipTo("Peak buffers:", kStatistics)) ReadReport(scan, failure);
  return failure;
}

// "Failed to allocate request for 8.00GiB (8589934592B) on device ordinal 0"
std::optional<AllocationFailure> ParseDeviceRequest(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  scan.Skip("Failed to allocate request for ");
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kXla;
  failure.on_device = true;
  failure.asked = scan.Size();
  TextScan exact = scan;
  if (exact.Skip(" (")) {
    if (const auto bytes = exact.Size()) failure.asked = bytes;
  }
  if (!failure.asked || !scan.SkipTo(" on device ordinal ")) return std::nullopt;
  if (const auto number = scan.Integer()) failure.device = "device " + std::to_string(*number);
  return failure;
}

std::optional<AllocationFailure> ParseHostAllocator(std::string_view text, std::size_t at) {
  TextScan scan(text.substr(at));
  scan.Skip("Out of memory allocating ");
  AllocationFailure failure;
  failure.runtime = AllocatingRuntime::kXla;
  failure.device = "the CPU";
  failure.asked = scan.Size();
  return failure.asked ? std::optional(failure) : std::nullopt;
}

constexpr std::array<Recogniser, 5> kOfXla = {
    {{"Ran out of memory in memory space ", ParseTpuCompiler},
     {"Attempting to ", ParseTpuAllocator},
     {"Out of memory while trying to allocate ", ParseDeviceAllocator},
     {"Failed to allocate request for ", ParseDeviceRequest},
     {"Out of memory allocating ", ParseHostAllocator}}};

}  // namespace

std::span<const Recogniser> XlaRecognisers() { return kOfXla; }

}  // namespace mlprof::server
