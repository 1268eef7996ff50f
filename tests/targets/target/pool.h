// A pool of threads that shares out CPU work as an OpenMP runtime does.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace target {

/// The work comes in many short parallel regions with a barrier after each. Threads that spin wait
/// for the next region on the CPU for some milliseconds before they sleep (OMP_WAIT_POLICY=active):
/// more of them than the quota has cores keep each other from working.
class Pool {
 public:
  /// At least one thread, the caller of Burn being the first of them.
  Pool(int threads, bool spins);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Spends `cpu` on all threads together. Callers take turns.
  void Burn(std::chrono::nanoseconds cpu);

 private:
  void Work();
  void AwaitChange(const std::atomic<int>& value, int from) const;

  const int threads_;
  const bool spins_;
  std::mutex turn_;
  std::chrono::nanoseconds share_{0};  // of one thread in the region at hand
  std::atomic<int> region_{0};
  std::atomic<int> working_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> others_;
};

}  // namespace target
