#include "tests/targets/target/cost.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tests/targets/target/options.h"

namespace target {
namespace {

constexpr std::size_t kPage = 4096;
// Reading the clock is a system call; so many steps between two of them take about a microsecond.
constexpr int kStepsBetweenReadings = 1000;

}  // namespace

std::chrono::nanoseconds ThreadCpu() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

void Burn(std::chrono::nanoseconds cpu) {
  const std::chrono::nanoseconds end = ThreadCpu() + cpu;
  volatile int sink = 0;
  while (ThreadCpu() < end) {
    for (int i = 0; i < kStepsBetweenReadings; ++i) sink = i;
  }
  (void)sink;
}

Touched::Touched(std::size_t bytes) : bytes_(bytes) {
  if (bytes_ == 0) return;
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) Refuse("mmap");
  char* const first = static_cast<char*>(memory_);
  for (std::size_t at = 0; at < bytes_; at += kPage) first[at] = 1;
}

Touched::~Touched() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

void Keep(std::size_t bytes) {
  // On the heap for good; what it holds is what counts.
  static_cast<void>(new Touched(bytes));
}

void Leak(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) Refuse("malloc");
  std::memset(memory, 1, bytes);
  // Seen from outside, or the compiler leaves out both.
  asm volatile("" : : "r"(memory) : "memory");
}

MappedFile::MappedFile(const std::string& path) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0) Refuse("cannot open " + path);
  size_ = static_cast<std::size_t>(about.st_size);
  void* const memory = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) Refuse("cannot map " + path);
  close(file);
  bytes_ = static_cast<const char*>(memory);
  Read(1);
}

void MappedFile::Read(double share) const {
  const auto end = static_cast<std::size_t>(static_cast<double>(size_) * share);
  volatile char sink = 0;
  for (std::size_t at = 0; at < end; at += kPage) sink = bytes_[at];
  (void)sink;
}

}  // namespace target
