// When a model is warm: the last three windows agree in latency and in CPU per request, or become
// no better; or it does as one that is known to be warm. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace mlprof::server {

struct WarmUpWindow {
  double p50_ms = 0;
  double cpu_ms_per_request = 0;
};

/// So many have to agree.
inline constexpr std::size_t kWindowsThatAgree = 3;

/// True when the last of them differ by at most 10% (max/min ≤ 1.10) in both figures. CPU
/// below 0.05 ms a request is left out of the judgement: the kernel's clock does not resolve it.
bool IsSteady(std::span<const WarmUpWindow> windows);

/// True when the best of the last three is no better, by over 5%, than the best of the three before
/// them in either figure: what still differs between windows is the host's doing.
bool IsNoFasterAnyMore(std::span<const WarmUpWindow> windows);

/// True when, of three windows or more, the newest takes no less than the mean of those before it,
/// and the first no more than the mean of those behind it, by 10% at most in both figures: a model
/// that still becomes warm does. Judged as by IsSteady().
bool IsNotBecomingFaster(std::span<const WarmUpWindow> windows);

/// True when, of two windows or more, the best of the later half is no better, by over 10%, than
/// the best of the earlier half in either figure, nor the first worse than all behind it: what was
/// measured in the first of them is of a model as warm as in the last. Judged as by IsSteady().
bool IsNoFasterInTheEnd(std::span<const WarmUpWindow> windows);

/// Whether a window's requests take no more than those of a warm model, by 10% at most: in both
/// figures, judged as by IsSteady().
bool IsAsWarm(const WarmUpWindow& window, const WarmUpWindow& warm);

/// Requests of a window of about a second, at least `least`, that goes through all rows equally
/// often: windows of other rows differ although the model does not. nullopt where so many take
/// clearly longer than a second.
std::optional<std::size_t> WholePasses(std::size_t rows, std::size_t least,
                                       double requests_per_second);

}  // namespace mlprof::server
