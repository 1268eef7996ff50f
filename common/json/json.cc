#include "common/json/json.h"

#include <set>
#include <vector>

namespace mlprof {
namespace {

// Watches the parse and stops it at the first broken limit. The library calls this back for every
// element, so nothing deep is ever built.
class LimitGuard {
 public:
  explicit LimitGuard(const JsonLimits& limits) : limits_(limits) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (static_cast<std::size_t>(depth) > limits_.max_depth) return Break("nested too deeply");
    if (++nodes_ > limits_.max_nodes) return Break("too many values");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Event::key && !keys_.empty() &&
        !keys_.back().insert(parsed.get<std::string>()).second) {
      return Break("the key \"" + parsed.get<std::string>() + "\" is there twice");
    }
    return true;
  }

  const std::string& broken() const { return broken_; }

 private:
  struct Stop {};
  [[noreturn]] bool Break(std::string why) {
    broken_ = std::move(why);
    throw Stop{};
  }

  const JsonLimits& limits_;
  std::size_t nodes_ = 0;
  std::vector<std::set<std::string>> keys_;
  std::string broken_;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Fail(ErrorCode::kTooLarge,
                "the JSON text is larger than " + std::to_string(limits.max_bytes) + " bytes");
  }
  LimitGuard guard(limits);
  try {
    return Json::parse(text, std::ref(guard));
  } catch (const Json::parse_error& e) {
    return Fail(InvalidArgument("not JSON at byte " + std::to_string(e.byte)));
  } catch (const Json::exception&) {
    return Fail(InvalidArgument("JSON refused: a number is out of range"));
  } catch (...) {
    return Fail(InvalidArgument("JSON refused: " + guard.broken()));
  }
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string DumpJsonIndented(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mlprof
