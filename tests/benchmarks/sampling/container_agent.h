// The real agent in a real container beside a model that does nothing: what its samples say they
// cost.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "common/result/result.h"

namespace mlprof::bench {

class ContainerAgent {
 public:
  /// `programs` holds mlprof-agent; throws std::runtime_error where no container can be had.
  explicit ContainerAgent(const std::filesystem::path& programs);
  ~ContainerAgent();

  /// CPU of the agent in percent of a core over `time`, samples 100 times a second, all files.
  double CpuPercent(std::chrono::milliseconds time);
  /// Samples that came in the last measurement, per second.
  double samples_per_second() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mlprof::bench
