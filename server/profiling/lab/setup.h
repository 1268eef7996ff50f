// How a container of the model is set up beside its limits. Whoever launches one says all of it:
// none of the types has a default that could be forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/domain/limits.h"
#include "common/domain/write_error.h"

namespace mlprof::server {

/// The cores the model may run on. What drives it runs on the others, where the host has enough.
class Cpuset {
 public:
  /// `text` as cpusets are written ("0-2,5"), holding `cores` of them.
  Cpuset(std::string text, int cores) : text_(std::move(text)), cores_(cores) {}
  /// All that the host has, shared with what drives the model.
  static Cpuset Whole(int host_cores) { return {"", host_cores}; }

  /// "": all.
  const std::string& text() const { return text_; }
  bool is_whole() const { return text_.empty(); }
  int cores() const { return cores_; }

 private:
  std::string text_;
  int cores_;
};

/// The same for every container of a profile, but for what a phase tries out.
struct Setup {
  Cpuset cpuset;
  std::map<std::string, std::string> environment;  // over the inference config's own
  /// Writes that its image refused the model: it has a copy of their folders to write to.
  std::vector<RefusedWrite> given;
};

/// Tells random arrivals apart: each container gets its own, so that one burst of one schedule does
/// not decide for all; the limits tried within one container are compared under the same.
class Seed {
 public:
  explicit Seed(std::uint64_t value) : value_(value) {}
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

enum class PageCache {
  kAsItIs,
  kCold,  // the container's memory pays for the files it reads, as on a machine that never ran it
};

/// What a container is for: whether what it takes is what the objective takes.
enum class Use {
  kObjective,
  kBeyond,       // more is asked of it than the objective does
  kRecorded,     // a profiler does, too: what it takes counts nowhere
  kWatchWrites,  // nothing is measured: its agent looks for the write that is refused the model
};

struct ContainerPlan {
  Limits limits;
  const Setup& setup;
  Seed seed;
  PageCache page_cache;
  Use use;
};

}  // namespace mlprof::server
