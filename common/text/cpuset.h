// Cores as the kernel writes them, in cpusets and in lists of siblings: "0-2,5". Pure.
#pragma once

#include <string>
#include <vector>

namespace mlprof {

/// In ascending order.
std::string CpusetText(const std::vector<int>& cores);
/// The other way; what is no number or range is left out.
std::vector<int> ParseCpuset(const std::string& text);

}  // namespace mlprof
