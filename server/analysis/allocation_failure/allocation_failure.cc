#include "server/analysis/allocation_failure/allocation_failure.h"

#include <array>
#include <cstdio>

#include "common/units/size_text.h"
#include "server/analysis/allocation_failure/recogniser.h"
#include "server/analysis/allocation_failure/text_scan.h"

namespace mlprof::server {
namespace {

// Lines that have the anchor and are something else are passed over; so many, that a text of
// nothing but anchors is read once.
constexpr int kMostTries = 1024;
constexpr std::size_t kMostWords = 300;

std::string Cut(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() <= kMostWords) return std::string(line);
  std::size_t length = kMostWords;
  // Not within a character of several bytes.
  while (length > 0 && (static_cast<unsigned char>(line[length]) & 0xC0U) == 0x80U) --length;
  return std::string(line.substr(0, length)) + "…";
}

std::optional<AllocationFailure> FindLast(std::string_view text, const Recogniser& recogniser) {
  std::size_t end = text.size();
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::size_t at = text.substr(0, end).rfind(recogniser.anchor);
    if (at == std::string_view::npos) return std::nullopt;
    if (auto failure = recogniser.parse(text, at)) {
      failure->words = Cut(LineAt(text, at));
      return failure;
    }
    // The next one ends before this one's last character, and may not overlap it.
    end = at;
  }
  return std::nullopt;
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) {
    text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  }
  return text + "]";
}

std::string ForWhat(const AllocationFailure& failure) {
  if (failure.shape.empty() && failure.type.empty()) return "";
  std::string text = " for a tensor";
  if (!failure.shape.empty()) text += " of shape " + ShapeText(failure.shape);
  if (!failure.type.empty())
    text += (failure.shape.empty() ? " of" : " and") + (" type " + failure.type);
  return text;
}

std::string InBrackets(const AllocationFailure& failure) {
  std::string text;
  if (!failure.op.empty()) text += "operator " + failure.op;
  if (!failure.allocator.empty()) {
    text += (text.empty() ? "" : ", ") + ("allocator " + failure.allocator);
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string HowFull(const AllocationFailure& failure) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? ": " : ", ") + part; };
  if (failure.in_use && failure.limit) {
    add(SizeText(*failure.in_use) + " of " + SizeText(*failure.limit) + " were in use");
  } else if (failure.in_use) {
    add(SizeText(*failure.in_use) + " were in use");
  } else if (failure.limit) {
    add("of " + SizeText(*failure.limit));
  }
  if (failure.free) add(SizeText(*failure.free) + " were free");
  if (failure.reserved) add(SizeText(*failure.reserved) + " were held unused by the allocator");
  if (failure.padded && failure.unpadded) {
    add(SizeText(*failure.padded) + " with padding, " + SizeText(*failure.unpadded) + " without");
  }
  return text;
}

}  // namespace

std::optional<AllocationFailure> FindAllocationFailure(std::string_view text) {
  for (const auto& family : {TensorFlowRecognisers(), PyTorchRecognisers(), XlaRecognisers(),
                             SharedAllocatorRecognisers(), OtherRecognisers()}) {
    for (const Recogniser& recogniser : family) {
      if (auto failure = FindLast(text, recogniser)) return failure;
    }
  }
  return std::nullopt;
}

std::string Sentence(const AllocationFailure& failure) {
  std::string text = std::string(Name(failure.runtime)) + " could not allocate ";
  text += failure.asked ? SizeText(*failure.asked) : "memory";
  if (!failure.device.empty()) {
    text += " on " + failure.device;
  } else if (failure.on_device) {
    text += " on the device";
  }
  return text + ForWhat(failure) + InBrackets(failure) + HowFull(failure);
}

}  // namespace mlprof::server
