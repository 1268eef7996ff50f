#include "server/app/disk_reserve.h"

#include <utility>

#include "common/log/log.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::seconds kBetweenTries{15};

}  // namespace

DiskReserve::DiskReserve(const std::filesystem::path& data_dir)
    : file_(data_dir / "reserve", ReserveFor(data_dir)) {}

Status DiskReserve::Start() {
  auto taking = Recurring::Start("disk reserve", kBetweenTries, [this] { Take(); });
  if (!taking) return Fail(taking.error());
  taking_.emplace(*std::move(taking));
  return {};
}

void DiskReserve::GiveUp() {
  if (file_.Release()) LogWarn("the disk is full: the reserve was given up to record what ends");
}

// A disk that has no room for the reserve is nothing to log: whatever needs room says so itself.
// Any other failure is logged, since nobody else would tell of it.
void DiskReserve::Take() {
  const Status taken = file_.Restore();
  if (taken) {
    trouble_.Over();
  } else if (taken.error().code() != ErrorCode::kUnavailable) {
    trouble_.Failed(taken.error().message());
  }
}

}  // namespace mlprof::server
