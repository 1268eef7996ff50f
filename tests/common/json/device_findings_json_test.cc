#include "common/json/device_findings_json.h"

#include <gtest/gtest.h>

#include "common/json/domain_json.h"

namespace mlprof {
namespace {

Recommendation OnADevice() {
  Recommendation answer;
  answer.requested = {Cores(0.5), MiB(512), {MiB(2304), 1}};
  DeviceFindings found;
  found.needed = MiB(2048);
  found.reserved = GiB(12);
  found.needed_by = NeededBy::kCap;
  found.memory_from = "processes";
  found.limit = DeviceLimit{LimitedBy::kMemoryBandwidth, "because"};
  found.busy = 0.4;
  found.missing = {{"power", "not supported by this device"}};
  answer.device = found;
  return answer;
}

TEST(DeviceFindingsJsonTest, StandBesideWhatIsRequested) {
  const Json device = EncodeRecommendation(OnADevice())["device"];
  EXPECT_EQ(device["memoryInBytes"], MiB(2304).count());
  EXPECT_EQ(device["count"], 1);
  EXPECT_EQ(device["neededMemoryInBytes"], MiB(2048).count());
  EXPECT_EQ(device["reservedMemoryInBytes"], GiB(12).count());
  EXPECT_EQ(device["neededBy"], "cap");
  EXPECT_EQ(device["limitedBy"], "memoryBandwidth");
  EXPECT_EQ(device["utilization"], 0.4);
  EXPECT_FALSE(device.contains("powerInWatts")) << "absent, not 0";
  EXPECT_EQ(device["missing"]["power"], "not supported by this device");
}

TEST(DeviceFindingsJsonTest, ComeBackAsTheyWereStored) {
  const Recommendation answer = OnADevice();
  const auto read = DecodeRecommendation(EncodeRecommendation(answer));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->device, answer.device);
}

TEST(DeviceFindingsJsonTest, SayWhichKindOfDeviceItWas) {
  Recommendation answer = OnADevice();
  EXPECT_EQ(EncodeRecommendation(answer)["device"]["type"], "gpu");
  answer.device->kind = DeviceKind::kTpu;
  answer.device->memory_from = "runtime";
  answer.device->limit = DeviceLimit{LimitedBy::kTensorCore, "because"};
  const Json json = EncodeRecommendation(answer);
  EXPECT_EQ(json["device"]["type"], "tpu");
  EXPECT_EQ(json["device"]["limitedBy"], "tensorCore");
  EXPECT_EQ(DecodeRecommendation(json)->device, answer.device);
}

TEST(DeviceFindingsJsonTest, AreAbsentWithoutADevice) {
  Recommendation answer;
  answer.requested = {Cores(0.5), MiB(512)};
  EXPECT_TRUE(EncodeRecommendation(answer)["device"].is_null());
  EXPECT_EQ(DecodeRecommendation(EncodeRecommendation(answer))->device, std::nullopt);
}

}  // namespace
}  // namespace mlprof
