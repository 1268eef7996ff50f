#include "server/rest/query_reader.h"

#include <charconv>
#include <cmath>

namespace mlprof::server {
namespace {

constexpr int kLargestPage = 1000;

template <class T>
std::optional<T> Parse(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The cursors of all lists start with a digit and hold nothing but these; the list itself knows
// whether it has given this one.
std::string CheckCursor(const std::string& text) {
  const bool looks_like_one = !text.empty() && text[0] >= '0' && text[0] <= '9' &&
                              text.find_first_not_of("0123456789abcdef-") == std::string::npos;
  return looks_like_one ? "" : "is none this list has given";
}

}  // namespace

std::optional<std::string> QueryReader::Single(const std::string& name) {
  known_.insert(name);
  const auto values = request_.QueryAll(name);
  if (values.size() > 1) Problem(name, "must be given once");
  if (values.empty()) return std::nullopt;
  return values.front();
}

std::string QueryReader::Workspace() {
  const auto workspace = Single("workspace");
  if (!workspace) return "default";
  if (std::string problem = CheckWorkspace(*workspace); !problem.empty()) {
    Problem("workspace", std::move(problem));
  }
  return *workspace;
}

PageRequest QueryReader::Page() {
  PageRequest page;
  if (const auto top = Integer("top", 1, kLargestPage)) page.top = *top;
  page.cursor = Text("cursor", CheckCursor);
  return page;
}

std::string QueryReader::Text(const std::string& name, TextCheck check) {
  const auto text = Single(name);
  if (!text) return "";
  if (check != nullptr) {
    if (std::string problem = check(*text); !problem.empty()) Problem(name, std::move(problem));
  }
  return *text;
}

std::string QueryReader::RequiredText(const std::string& name, TextCheck check) {
  if (request_.QueryAll(name).empty()) Problem(name, "is required");
  return Text(name, check);
}

std::optional<int> QueryReader::Integer(const std::string& name, int low, int high) {
  const auto text = Single(name);
  if (!text) return std::nullopt;
  const auto value = Parse<int>(*text);
  if (value && *value >= low && *value <= high) return value;
  Problem(name,
          "must be a whole number between " + std::to_string(low) + " and " + std::to_string(high));
  return std::nullopt;
}

std::optional<double> QueryReader::Percent(const std::string& name) {
  const auto text = Single(name);
  if (!text) return std::nullopt;
  const auto value = Parse<double>(*text);
  if (value && *value > 0 && *value <= 100) return value;
  Problem(name, "must be a percentage, above 0 and at most 100");
  return std::nullopt;
}

std::optional<double> QueryReader::Seconds(const std::string& name) {
  const auto text = Single(name);
  if (!text) return std::nullopt;
  const auto value = Parse<double>(*text);
  if (value && std::isfinite(*value) && *value >= 0) return value;
  Problem(name, "must be a number of seconds, 0 or more");
  return std::nullopt;
}

std::vector<std::string> QueryReader::Repeated(const std::string& name) {
  known_.insert(name);
  return request_.QueryAll(name);
}

void QueryReader::Problem(const std::string& name, std::string detail) {
  problems_.push_back({JoinPointer("", name), std::move(detail)});
}

Status QueryReader::Done() {
  std::set<std::string> told;
  for (const auto& [name, value] : request_.query) {
    if (!known_.contains(name) && told.insert(name).second) {
      Problem(name, "is not a known query parameter");
    }
  }
  return ProblemsToStatus(std::move(problems_));
}

}  // namespace mlprof::server
