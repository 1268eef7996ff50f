#include "agent/supervise/signals.h"

#include <charconv>
#include <csignal>
#include <cstring>

namespace mlprof::agent {
namespace {

constexpr int kLastSignal = 64;

std::optional<int> SignalNumber(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> Valid(std::optional<int> signal) {
  return signal && *signal >= 1 && *signal <= kLastSignal ? signal : std::nullopt;
}

}  // namespace

std::optional<int> ParseSignal(std::string_view text) {
  if (text.empty()) return SIGTERM;
  if (const auto number = SignalNumber(text)) return Valid(number);
  if (text.starts_with("SIG")) text.remove_prefix(3);
  if (text.starts_with("RTMIN")) {
    text.remove_prefix(5);
    if (text.empty()) return SIGRTMIN;
    if (!text.starts_with('+')) return std::nullopt;
    const auto offset = SignalNumber(text.substr(1));
    return offset && *offset >= 0 && *offset <= kLastSignal ? Valid(SIGRTMIN + *offset)
                                                            : std::nullopt;
  }
  for (int signal = 1; signal < 32; ++signal) {
    const char* const name = ::sigabbrev_np(signal);
    if (name != nullptr && text == name) return signal;
  }
  return std::nullopt;
}

}  // namespace mlprof::agent
