#include "agent/sampling/cgroup_reader.h"

#include "agent/sampling/cgroup_versions.h"

namespace mlprof::agent {
namespace {

class NoCgroup final : public CgroupReader {
 public:
  void ReadCpu(CgroupReading&) const override {}
  void ReadThrottling(CgroupReading&) const override {}
  void ReadUsage(CgroupReading&) const override {}
  void ReadMemory(CgroupReading&) const override {}
  void ReadRest(CgroupReading&) const override {}
  std::chrono::nanoseconds CpuTime() const override { return {}; }
  std::int64_t OomKills() const override { return 0; }
};

}  // namespace

CgroupReading CgroupReader::Read() const {
  CgroupReading reading;
  ReadCpu(reading);
  ReadThrottling(reading);
  ReadUsage(reading);
  ReadMemory(reading);
  ReadRest(reading);
  return reading;
}

std::unique_ptr<CgroupReader> OpenCgroup(const CgroupLocation& location) {
  if (location.version == 1) return std::make_unique<CgroupV1>(location);
  if (location.version == 2) return std::make_unique<CgroupV2>(location.unified);
  return std::make_unique<NoCgroup>();
}

}  // namespace mlprof::agent
