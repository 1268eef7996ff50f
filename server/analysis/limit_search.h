// The least limit that does, found by runs: of CPU on its grid, of memory by bisection. Pure.
#pragma once

#include <optional>

#include "common/domain/limits.h"

namespace mlprof::server {

/// The smallest step of CPU that passes, where more never hurts: a guess first, then away from it
/// by growing strides, up until one passes or down until one fails, then bisection.
class GridSearch {
 public:
  /// Nothing below `floor` or above `ceiling` is tried; `ceiling` counts as passing. All on the
  /// grid.
  GridSearch(Cores floor, Cores guess, Cores ceiling);

  /// What to try next; nullopt when the answer is known.
  std::optional<Cores> Next() const;
  void Tell(Cores tried, bool passed);
  /// The smallest known to pass (the ceiling while none is).
  Cores Best() const { return passing_; }
  /// Where it is cut short: Best(), or while none is known to pass what would be tried next, as the
  /// ceiling may be many times what is needed.
  Cores Likeliest() const { return passed_any_ ? passing_ : Next().value_or(passing_); }

 private:
  Cores guess_;
  Cores passing_;
  Cores below_;  // known to fail, or one step under the floor
  Cores stride_ = kCpuQuantum;
  bool tried_any_ = false;
  bool passed_any_ = false;
  bool failed_any_ = false;
};

/// Halfway between an amount that failed and one that held, on the grid; nullopt where they are a
/// tenth of the latter apart, or one step of the grid.
std::optional<Amount> Halfway(const Amount& failed, const Amount& held);

// The least memory that does, found by runs at fixed limits on the 16 MiB grid.

inline constexpr double kMemoryTolerance = 0.10;  // of the passing limit

/// Bisects between a limit that fails and one that passes.
class MemoryBisection {
 public:
  /// `failing` below `passing`; `tolerance` is a share of the passing limit. A gap of one grid step
  /// is always close enough.
  MemoryBisection(Bytes failing, Bytes passing, double tolerance = kMemoryTolerance);

  /// What to try next; nullopt when the two are close enough.
  std::optional<Bytes> Next() const;
  void Tell(Bytes tried, bool passed);

  Bytes passing() const { return passing_; }
  Bytes failing() const { return failing_; }

 private:
  Bytes failing_;
  Bytes passing_;
  double tolerance_;
};

/// The first limit at which a model starts: doubling from a guess until one passes, then bisecting,
/// by at most 6 steps. Use: while (const auto limit = search.Next()) search.Tell(passed).
class StartSearch {
 public:
  /// `failing`: a limit known to be too small, 0 where none is. Nothing above `maximum` is tried.
  StartSearch(Bytes failing, Bytes guess, Bytes maximum);

  std::optional<Bytes> Next() const;
  /// The outcome at what Next() named. Ignored where Next() names nothing.
  void Tell(bool passed);

  /// The smallest that passed; nullopt while none has, and for good where the maximum failed.
  std::optional<Bytes> found() const;
  Bytes failing() const { return bisection_ ? bisection_->failing() : failing_; }

 private:
  Bytes failing_;
  Bytes next_;
  Bytes maximum_;
  std::optional<MemoryBisection> bisection_;  // since one passed
  int bisections_ = 0;
};

}  // namespace mlprof::server
