#include "server/rest/overview_page.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "common/text/percent.h"

namespace mlprof::server {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>mlprof</title>
<meta name="viewport" content="width=device-width">
)";
constexpr const char* kStyle = R"(<style>
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .8rem;border-bottom:1px solid #ddd;vertical-align:top}
th{font-weight:600}td small{color:#666;display:block}.Failed,.TimedOut{color:#a11}
.Succeeded{color:#171}
</style></head><body><h1>mlprof</h1>
)";
constexpr const char* kEmpty =
    "<p>No profiles yet. Start one with <code>mlprof profile -m MODEL --idi DATASET</code>.</p>\n";
constexpr const char* kColumns =
    "<table><thead><tr><th>Profile</th><th>Models</th><th>State</th><th>CPU (cores)</th>"
    "<th>Memory (GiB)</th><th>Created</th></tr></thead><tbody>\n";

std::string Shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

std::string Cell(const std::string& html) { return "<td>" + html + "</td>"; }

std::string StateCell(const Profile& profile) {
  const std::string state(Name(profile.state));
  std::string html = "<span class=\"" + state + "\">" + state + "</span>";
  if (profile.error) {
    html += "<small>" + EscapeHtml(profile.error->message) + "</small>";
  } else if (profile.no_answer) {
    html += "<small>no answer: " + EscapeHtml(profile.no_answer->message) + "</small>";
  } else if (!IsFinished(profile.state)) {
    const double percent = std::round(std::clamp(profile.progress.fraction, 0.0, 1.0) * 100);
    html +=
        "<small>" + Shortest(percent) + "%, " + EscapeHtml(profile.progress.message) + "</small>";
  }
  return Cell(html);
}

std::string AnswerCells(const Profile& profile) {
  if (!profile.recommendation) return Cell("&ndash;") + Cell("&ndash;");
  const Recommendation& answer = *profile.recommendation;
  const char* note = answer.verified ? "verified" : "not verified";
  return Cell(Shortest(answer.requested.cpu().value()) + "<small>" + note + "</small>") +
         Cell(Shortest(answer.requested.memory().gib()) + "<small>" + note + "</small>");
}

std::string ModelsOf(const Profile& profile) {
  std::string text;
  for (const std::string& id : profile.request.model_ids) {
    if (!text.empty()) text += ", ";
    text += EscapeHtml(id);
  }
  return text;
}

std::string Row(const Profile& profile) {
  const std::string link =
      "/profiles/" + profile.id + "?workspace=" + PercentEncode(profile.workspace);
  return "<tr>" +
         Cell("<a href=\"" + EscapeHtml(link) + "\">" + EscapeHtml(profile.request.name) + "</a>") +
         Cell(ModelsOf(profile)) + StateCell(profile) + AnswerCells(profile) +
         Cell(FormatTimestamp(profile.created)) + "</tr>\n";
}

}  // namespace

std::string EscapeHtml(const std::string& text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

HttpResponse OverviewPage(const std::string& workspace, const std::vector<Profile>& profiles) {
  const bool busy = std::any_of(profiles.begin(), profiles.end(),
                                [](const Profile& p) { return !IsFinished(p.state); });
  std::string html = kHead;
  if (busy) html += "<meta http-equiv=\"refresh\" content=\"5\">\n";
  html += kStyle;
  html += "<p>Profiles of the workspace <b>" + EscapeHtml(workspace) + "</b>, newest first.</p>\n";
  if (profiles.empty()) {
    html += kEmpty;
  } else {
    html += kColumns;
    for (const Profile& profile : profiles) html += Row(profile);
    html += "</tbody></table>\n";
  }
  html += "<p><a href=\"/openapi.yaml\">The interface</a></p></body></html>\n";
  HttpResponse response = TextResponse(200, "text/html; charset=utf-8", std::move(html));
  response.headers.Set("Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors 'none'");
  response.headers.Set("X-Content-Type-Options", "nosniff");
  response.headers.Set("Referrer-Policy", "no-referrer");
  response.headers.Set("Cache-Control", "no-store");
  return response;
}

}  // namespace mlprof::server
