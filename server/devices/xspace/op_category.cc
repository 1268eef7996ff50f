#include <array>

#include "server/devices/xspace/op_metrics.h"

namespace mlprof::server::xspace {
namespace {

template <std::size_t N>
bool IsOneOf(std::string_view category, const std::array<std::string_view, N>& words) {
  for (const std::string_view word : words) {
    if (category == word) return true;
  }
  return false;
}

constexpr std::array<std::string_view, 6> kHostTransfers = {
    "host send", "host send-done", "host recv", "host recv-done", "send to host", "recv from host"};

}  // namespace

bool IsInfeedOrOutfeed(std::string_view category) {
  return category == "infeed" || category == "outfeed" || IsOneOf(category, kHostTransfers);
}

bool IsFusion(std::string_view category) { return category.ends_with("fusion"); }

bool HoldsOthers(std::string_view category) {
  constexpr std::array<std::string_view, 4> kHolding = {"call", "conditional", "while",
                                                        "megacore fusion"};
  return IsOneOf(category, kHolding);
}

bool IsOffDuty(std::string_view category) {
  return IsInfeedOrOutfeed(category) || category == "megacore fusion";
}

}  // namespace mlprof::server::xspace
