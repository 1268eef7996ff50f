#include "common/json/json.h"

#include <set>
#include <utility>
#include <vector>

namespace mlprof {
namespace {

// Reads along with the parser and stops it at the first broken limit.
class Scan final : public nlohmann::json_sax<Json> {
 public:
  Scan(const JsonLimits& limits, const JsonListener& listener)
      : limits_(limits), listener_(listener) {}

  bool null() override { return Value(JsonEvent::kOther, none_); }
  bool boolean(bool) override { return Value(JsonEvent::kOther, none_); }
  bool number_integer(std::int64_t) override { return Value(JsonEvent::kOther, none_); }
  bool number_unsigned(std::uint64_t) override { return Value(JsonEvent::kOther, none_); }
  bool number_float(double, const std::string&) override { return Value(JsonEvent::kOther, none_); }
  bool binary(Json::binary_t&) override { return Break("binary values are no JSON"); }
  bool string(std::string& text) override { return Value(JsonEvent::kString, text); }
  bool start_object(std::size_t) override {
    if (limits_.unique_keys) keys_.emplace_back();
    return Value(JsonEvent::kObject, none_) && Enter();
  }
  bool start_array(std::size_t) override { return Value(JsonEvent::kArray, none_) && Enter(); }
  bool end_object() override {
    if (limits_.unique_keys) keys_.pop_back();
    return Tell(JsonEvent::kObjectEnd, --depth_, none_);
  }
  bool end_array() override { return Tell(JsonEvent::kArrayEnd, --depth_, none_); }
  bool key(std::string& key) override {
    if (limits_.unique_keys && !keys_.back().insert(key).second) {
      return Break("the key \"" + key + "\" is there twice");
    }
    return Tell(JsonEvent::kKey, depth_, key);
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& why) override {
    const bool is_text = dynamic_cast<const Json::parse_error*>(&why) != nullptr;
    error_ = is_text ? "not JSON at byte " + std::to_string(position)
                     : "JSON refused: a number is out of range";
    return false;
  }

  /// "" where nothing is wrong.
  const std::string& error() const { return error_; }

 private:
  bool Value(JsonEvent event, std::string& text) {
    if (depth_ > limits_.max_depth) return Break("nested too deeply");
    if (++values_ > limits_.max_nodes) return Break("too many values");
    return Tell(event, depth_, text);
  }
  bool Enter() {
    ++depth_;
    return true;
  }
  bool Tell(JsonEvent event, std::size_t depth, std::string& text) {
    return !listener_ || listener_(event, depth, text);
  }
  bool Break(const std::string& why) {
    error_ = "JSON refused: " + why;
    return false;
  }

  const JsonLimits& limits_;
  const JsonListener& listener_;
  std::string none_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;
  std::string error_;
};

}  // namespace

Status ScanJson(std::string_view text, const JsonLimits& limits, const JsonListener& listener) {
  if (text.size() > limits.max_bytes) {
    return Fail(ErrorCode::kTooLarge,
                "the JSON text is larger than " + std::to_string(limits.max_bytes) + " bytes");
  }
  Scan scan(limits, listener);
  Json::sax_parse(text, &scan);
  if (!scan.error().empty()) return Fail(InvalidArgument(scan.error()));
  return {};
}

// Twice over the text: the library's own way of watching a parse walks a list's members again for
// every object in it, and builds what is refused later.
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  MLPROF_TRY(ScanJson(text, limits, {}));
  return Json::parse(text);
}

std::string DumpJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string DumpJsonIndented(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mlprof
