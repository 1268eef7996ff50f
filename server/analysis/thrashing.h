// A model that is not killed and gets nowhere: its limit is full, and the kernel takes back the
// files that it is about to use. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "common/domain/sample.h"
#include "common/units/bytes.h"

namespace mlprof::server {

struct Thrashing {
  double pages_per_second = 0;  // read back
  Bytes limit;
};

/// By the last five seconds of `samples`, two at least: the limit was filled to 95% throughout, and
/// a hundred pages of files a second and more came back soon after they had been evicted. Files
/// that are read for the first time do not count.
std::optional<Thrashing> FindThrashing(std::span<const Sample> samples, Bytes limit);

/// Whether that is so much (ten thousand pages a second and more) that rows which were not answered
/// in many times their usual time will not be. `samples`: taken since they were sent.
bool GetsNowhere(std::span<const Sample> samples, Bytes limit);

/// "it filled its memory limit of 64 MiB and read its files back, 5200 pages a second".
std::string Sentence(const Thrashing& thrashing);

}  // namespace mlprof::server
