// What somebody who sees more than one run has to say in each. Called by the thread that runs the
// profile.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/domain/profile.h"

namespace mlprof::server {

class RunOversight {
 public:
  virtual ~RunOversight() = default;

  /// The run of an accepted profile begins, and what it may take can still be changed.
  virtual void Beginning(Profile& profile) = 0;
  /// Why the run is to be ended although nothing is wrong with it: asked whenever one of its phases
  /// is over. The profile ends Canceled, with what it knows and the warning kEndedEarlyWarning.
  virtual std::optional<std::string> WhyEnd(const Profile& profile, std::string_view phase) = 0;
};

}  // namespace mlprof::server
