// The device traces that a profile took, as a person wants to see them: of which load, what the
// recording cost the rows, and how to look at each.
#pragma once

#include <vector>

#include "client/cli/output/details.h"
#include "common/domain/profile_capture.h"

namespace mlprof::client::cli {

/// Nothing where there is none.
void WriteCaptures(const std::vector<ProfileCapture>& captures, Details& details);

}  // namespace mlprof::client::cli
