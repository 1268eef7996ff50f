// Logs come from whoever wrote the model: cut, spliced and made to be slow.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "server/analysis/allocation_failure/allocation_failure.h"
#include "tests/server/analysis/allocation_failure/logs.h"

namespace mlprof::server {
namespace {

void ExpectBounded(const std::string& text) {
  const auto failure = FindAllocationFailure(text);
  if (!failure) return;
  EXPECT_LE(failure->words.size(), 310U);
  EXPECT_LE(failure->largest.size(), 10U);
  EXPECT_LE(failure->shape.size(), 254U);
  EXPECT_FALSE(Sentence(*failure).empty());
  EXPECT_LE(failure->op.size() + failure->device.size() + failure->type.size(), 1000U);
  EXPECT_LE(Sentence(*failure).size(), 8000U);
}

std::string Mutated(std::string text, const std::string& other, std::mt19937& random) {
  const auto within = [&](std::size_t most) { return most == 0 ? 0 : random() % most; };
  for (int change = 0; change < 4 && !text.empty(); ++change) {
    const std::size_t at = within(text.size());
    switch (random() % 5) {
      case 0: text.resize(at); break;
      case 1: text[at] = static_cast<char>(random()); break;
      case 2: text.insert(at, other, within(other.size()), std::string::npos); break;
      case 3: text.insert(at, "99999999999999999999999999"); break;
      default: text.erase(at, within(64)); break;
    }
  }
  return text;
}

TEST(HostileLogsTest, AreReadWithinBoundsHoweverTheyAreCutAndSpliced) {
  std::mt19937 random(20261125);
  const auto logs = AllLogs();
  ASSERT_GT(logs.size(), 15U);
  for (const auto& [name, log] : logs) {
    for (const auto& [other_name, other] : logs) {
      for (int i = 0; i < 10; ++i) ExpectBounded(Mutated(log, other, random));
    }
    for (std::size_t length = 0; length < log.size(); length += 7) {
      ExpectBounded(log.substr(0, length));
    }
  }
}

TEST(HostileLogsTest, TakeTimeLinearInTheirLength) {
  const auto took = [](const std::string& words) {
    std::string text;
    while (text.size() < (1U << 20U)) text += words;
    const auto began = std::chrono::steady_clock::now();
    ExpectBounded(text);
    return std::chrono::steady_clock::now() - began;
  };
  for (const char* words :
       {") ran out of memory trying to allocate ", "OOM when allocating tensor with shape[1,",
        " out of memory. Tried to allocate ", "Ran out of memory in memory space ",
        "Attempting to ", "MemoryError", "Unable to allocate ", "1", "\n", "("}) {
    EXPECT_LT(took(words), std::chrono::seconds(5)) << words;
  }
}

}  // namespace
}  // namespace mlprof::server
