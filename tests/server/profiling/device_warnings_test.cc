// What a profile is told of its devices beside the answer.
#include "server/profiling/run/device_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mlprof::server {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

RunFacts MeasuredOnAGpu(std::optional<double> slower) {
  RunFacts facts;
  facts.host.devices = {"GPU-1"};
  facts.load.emplace();
  facts.device.emplace();
  facts.device->found.needed_by = NeededBy::kCap;
  facts.device->slower = slower;
  return facts;
}

TEST(DeviceWarningsTest, TellWhatTheSettingsOfItsMemoryCost) {
  const auto warnings = DeviceWarnings(MeasuredOnAGpu(1.8));
  EXPECT_THAT(warnings, Contains(Field(&Warning::message, HasSubstr("1.8 times as slow"))));
  for (const auto& usual : {std::optional<double>(), std::optional(1.05)}) {
    EXPECT_THAT(DeviceWarnings(MeasuredOnAGpu(usual)),
                Not(Contains(Field(&Warning::code, "deviceSettingsSlower"))));
  }
}

}  // namespace
}  // namespace mlprof::server
