// CPU time and memory spent on purpose, in exact amounts.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace target {

/// CPU time of the calling thread.
std::chrono::nanoseconds ThreadCpu();

/// Spends that much CPU time of the calling thread, to a few microseconds.
void Burn(std::chrono::nanoseconds cpu);

/// Anonymous memory with every page written; given back to the kernel whole by the destructor,
/// which malloc might not do. Not copied, not moved.
class Touched {
 public:
  explicit Touched(std::size_t bytes);
  ~Touched();
  Touched(const Touched&) = delete;
  Touched& operator=(const Touched&) = delete;

 private:
  const std::size_t bytes_;
  void* memory_ = nullptr;
};

/// As Touched, and never given back.
void Keep(std::size_t bytes);

/// Allocates from the heap, as a program that forgets to free does.
void Leak(std::size_t bytes);

/// Weights in a file, mapped read-only and shared, every page read once by the constructor.
class MappedFile {
 public:
  /// Exits where the file cannot be mapped. `path` empty: nothing is mapped.
  explicit MappedFile(const std::string& path);

  /// Reads every page of the first `share` of the file.
  void Read(double share) const;

 private:
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

constexpr std::size_t Mebibytes(int count) { return static_cast<std::size_t>(count) << 20; }

}  // namespace target
