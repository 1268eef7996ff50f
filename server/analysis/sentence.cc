#include "server/analysis/sentence.h"

namespace mlprof::server {

std::string AmountText(const Amount& amount) {
  const double mib = amount.bytes().mib();
  switch (amount.kind()) {
    case ResourceKind::kCpu: return Sentence("%.1f cores", amount.cores().value());
    case ResourceKind::kMemory: return Sentence("%.0f MiB", mib);
    case ResourceKind::kDeviceMemory:
      return Sentence("%d x %.0f MiB of device memory", amount.count(), mib);
  }
  return "";
}

std::string LimitsText(const Limits& limits) {
  const std::vector<Amount> amounts = limits.All();
  std::string text;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (i > 0) text += i + 1 == amounts.size() ? " and " : ", ";
    text += AmountText(amounts[i]);
  }
  return text;
}

}  // namespace mlprof::server
