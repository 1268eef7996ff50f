#include "server/profiling/queue/outage.h"

#include "common/log/log.h"

namespace mlprof::server {
namespace {

constexpr std::chrono::minutes kReminder{1};

}  // namespace

bool Outage::Failed(const std::string& why, Time now) {
  {
    const std::lock_guard lock(mutex_);
    const bool begins = !cause_;
    cause_ = why;
    if (begins) began_ = now;
    if (!begins && now - logged_ < kReminder) return false;
    logged_ = now;
  }
  LogError(lasts_text_, {{"why", why}});
  return true;
}

bool Outage::Over(Time now) {
  std::chrono::duration<double> lasted{};
  {
    const std::lock_guard lock(mutex_);
    if (!cause_) return false;
    cause_.reset();
    lasted = now - began_;
  }
  LogInfo(over_text_, {{"afterSeconds", lasted.count()}});
  return true;
}

std::chrono::nanoseconds Outage::Lasts(Time now) const {
  const std::lock_guard lock(mutex_);
  return cause_ ? now - began_ : std::chrono::nanoseconds(0);
}

std::optional<std::string> Outage::cause() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

}  // namespace mlprof::server
