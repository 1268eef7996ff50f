// Disk space of the data directory that is kept for the end of what runs: given up when the
// database meets a full disk, taken again once there is room.
#pragma once

#include <filesystem>
#include <optional>

#include "common/os/reserve_file.h"
#include "common/result/result.h"
#include "server/app/recurring.h"
#include "server/profiling/queue/outage.h"

namespace mlprof::server {

class DiskReserve {
 public:
  explicit DiskReserve(const std::filesystem::path& data_dir);
  /// Takes it now and whenever it was given up, on a thread of its own. kResourceExhausted where
  /// there is none.
  Status Start();
  /// Any thread.
  void GiveUp();

 private:
  void Take();

  ReserveFile file_;
  Outage trouble_{"no disk space can be kept for a full disk", "disk space is kept again"};
  std::optional<Recurring> taking_;  // last: it uses the others
};

}  // namespace mlprof::server
