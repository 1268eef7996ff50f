// The page at "/": profiles and their answers, as one self-contained HTML document. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/domain/profile.h"
#include "common/http/message.h"

namespace mlprof::server {

/// For text and attribute values.
std::string EscapeHtml(const std::string& text);

/// Reloads itself while a profile is unfinished. Runs no script and loads nothing.
HttpResponse OverviewPage(const std::string& workspace, const std::vector<Profile>& profiles);

}  // namespace mlprof::server
