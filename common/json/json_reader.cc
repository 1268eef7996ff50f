#include "common/json/json_reader.h"

#include <cmath>

#include "common/text/shortest.h"

namespace mlprof {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

std::string Describe(const NumberRange& range) {
  const bool low = range.low != std::numeric_limits<double>::lowest();
  const bool high = range.high != std::numeric_limits<double>::max();
  std::string text = "must be";
  if (low) text += (range.low_excluded ? " above " : " at least ") + Shortest(range.low);
  if (low && high) text += " and";
  if (high) text += " at most " + Shortest(range.high);
  return text;
}

std::string Describe(const IntegerRange& range) {
  if (range.high == std::numeric_limits<std::int64_t>::max()) {
    return "must be at least " + std::to_string(range.low);
  }
  return "must be between " + std::to_string(range.low) + " and " + std::to_string(range.high);
}

bool Within(double value, const NumberRange& range) {
  if (!std::isfinite(value) || value > range.high) return false;
  return range.low_excluded ? value > range.low : value >= range.low;
}

// 1.0 is a whole number in JSON as 1 is.
std::optional<std::int64_t> ToWhole(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (!json.is_number_float()) return std::nullopt;
  const auto value = json.get<double>();
  if (std::abs(value) > kExactIntegers || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

JsonReader::JsonReader(const Json& json, std::string pointer, Mode mode,
                       std::vector<FieldError>& problems)
    : json_(json.is_object() ? &json : nullptr),
      pointer_(std::move(pointer)),
      mode_(mode),
      problems_(&problems) {
  if (json_ == nullptr) problems_->push_back({pointer_, "must be an object"});
}

const Json* JsonReader::Find(std::string_view key, Null null) {
  if (json_ == nullptr) return nullptr;
  known_.emplace(key);
  const auto it = json_->find(key);
  if (it == json_->end()) return nullptr;
  if (it->is_null() && (null == Null::kAbsent || mode_ == Mode::kResource)) return nullptr;
  return &*it;
}

bool JsonReader::Has(std::string_view key) const {
  return json_ != nullptr && json_->find(key) != json_->end();
}

bool JsonReader::Require(std::string_view key) {
  if (json_ == nullptr) return false;
  if (Has(key)) return true;
  Problem(key, "is required");
  return false;
}

std::vector<std::string> JsonReader::Keys() {
  std::vector<std::string> keys;
  if (json_ == nullptr) return keys;
  for (const auto& [key, value] : json_->items()) {
    known_.insert(key);
    keys.push_back(key);
  }
  return keys;
}

void JsonReader::Check(const std::string& pointer, const std::string& text, TextCheck check) {
  if (mode_ == Mode::kResource || check == nullptr) return;
  std::string problem = check(text);
  if (!problem.empty()) problems_->push_back({pointer, std::move(problem)});
}

std::optional<std::string> JsonReader::String(std::string_view key, TextCheck check) {
  const Json* json = Find(key);
  if (json == nullptr) return std::nullopt;
  if (!json->is_string()) {
    Problem(key, "must be a string");
    return std::nullopt;
  }
  auto text = json->get<std::string>();
  Check(PointerTo(key), text, check);
  return text;
}

std::optional<std::int64_t> JsonReader::WholeNumber(std::string_view key, IntegerRange range,
                                                    IntegerRange type, Null null) {
  const Json* json = Find(key, null);
  if (json == nullptr) return std::nullopt;
  if (!json->is_number()) {
    Problem(key, "must be a whole number");
    return std::nullopt;
  }
  const auto value = ToWhole(*json);
  if (!value && json->is_number_float()) {
    Problem(key, "must be a whole number");
    return std::nullopt;
  }
  const IntegerRange allowed = {std::max(range.low, type.low), std::min(range.high, type.high)};
  const IntegerRange applied = mode_ == Mode::kRequest ? allowed : type;
  if (!value || *value < applied.low || *value > applied.high) {
    Problem(key, Describe(applied));
    return std::nullopt;
  }
  return value;
}

std::optional<int> JsonReader::Integer(std::string_view key, IntegerRange range, Null null) {
  const auto value = WholeNumber(
      key, range, {std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}, null);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<std::int64_t> JsonReader::BigInteger(std::string_view key, IntegerRange range) {
  return WholeNumber(key, range, {}, Null::kRefused);
}

std::optional<double> JsonReader::Number(std::string_view key, NumberRange range, Null null) {
  const Json* json = Find(key, null);
  if (json == nullptr) return std::nullopt;
  if (!json->is_number()) {
    Problem(key, "must be a number");
    return std::nullopt;
  }
  const auto value = json->get<double>();
  if (mode_ == Mode::kRequest && !Within(value, range)) {
    Problem(key, Describe(range));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> JsonReader::Boolean(std::string_view key) {
  const Json* json = Find(key);
  if (json == nullptr) return std::nullopt;
  if (!json->is_boolean()) {
    Problem(key, "must be true or false");
    return std::nullopt;
  }
  return json->get<bool>();
}

std::optional<std::vector<std::string>> JsonReader::Strings(std::string_view key, TextCheck check) {
  const Json* json = Find(key);
  if (json == nullptr) return std::nullopt;
  if (!json->is_array()) {
    Problem(key, "must be an array of strings");
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < json->size(); ++i) {
    const std::string pointer = JoinPointer(PointerTo(key), i);
    if (!(*json)[i].is_string()) {
      problems_->push_back({pointer, "must be a string"});
      continue;
    }
    texts.push_back((*json)[i].get<std::string>());
    Check(pointer, texts.back(), check);
  }
  return texts;
}

std::optional<std::map<std::string, std::string>> JsonReader::StringMap(std::string_view key,
                                                                        TextCheck key_check,
                                                                        TextCheck value_check) {
  const Json* json = Find(key);
  if (json == nullptr) return std::nullopt;
  if (!json->is_object()) {
    Problem(key, "must be an object of strings");
    return std::nullopt;
  }
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : json->items()) {
    const std::string pointer = JoinPointer(PointerTo(key), name);
    if (!value.is_string()) {
      problems_->push_back({pointer, "must be a string"});
      continue;
    }
    auto text = value.get<std::string>();
    Check(pointer, name, key_check);
    Check(pointer, text, value_check);
    map.emplace(name, std::move(text));
  }
  return map;
}

std::optional<JsonReader> JsonReader::Object(std::string_view key, Null null) {
  const Json* json = Find(key, null);
  if (json == nullptr) return std::nullopt;
  if (!json->is_object()) {
    Problem(key, "must be an object");
    return std::nullopt;
  }
  return JsonReader(*json, PointerTo(key), mode_, *problems_);
}

std::vector<JsonReader> JsonReader::Objects(std::string_view key) {
  std::vector<JsonReader> objects;
  const Json* json = Find(key);
  if (json == nullptr) return objects;
  if (!json->is_array()) {
    Problem(key, "must be an array of objects");
    return objects;
  }
  for (std::size_t i = 0; i < json->size(); ++i) {
    objects.emplace_back((*json)[i], JoinPointer(PointerTo(key), i), mode_, *problems_);
  }
  return objects;
}

std::optional<std::vector<std::int64_t>> JsonReader::BigIntegers(std::string_view key) {
  const Json* json = Find(key);
  if (json == nullptr) return std::nullopt;
  if (!json->is_array()) {
    Problem(key, "must be an array of whole numbers");
    return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < json->size(); ++i) {
    if (const auto value = ToWhole((*json)[i])) {
      values.push_back(*value);
    } else {
      problems_->push_back({JoinPointer(PointerTo(key), i), "must be a whole number"});
    }
  }
  return values;
}

void JsonReader::Problem(std::string_view key, std::string detail) {
  problems_->push_back({PointerTo(key), std::move(detail)});
}

std::string JsonReader::PointerTo(std::string_view key) const { return JoinPointer(pointer_, key); }

void JsonReader::RefuseUnknown(Unknown how) {
  if (json_ == nullptr || mode_ == Mode::kResource) return;
  std::string detail = "is not a known field";
  if (how == Unknown::kWithAllowed) {
    const char* separator = "; allowed are ";
    for (const std::string& key : known_) {
      detail += separator + key;
      separator = ", ";
    }
  }
  for (const auto& [key, value] : json_->items()) {
    if (!known_.contains(key)) Problem(key, detail);
  }
}

std::string JoinPointer(std::string_view pointer, std::string_view key) {
  std::string joined(pointer);
  joined += '/';
  for (const char c : key) {
    if (c == '~') {
      joined += "~0";
    } else if (c == '/') {
      joined += "~1";
    } else {
      joined += c;
    }
  }
  return joined;
}

std::string JoinPointer(std::string_view pointer, std::size_t index) {
  return JoinPointer(pointer, std::to_string(index));
}

Status ProblemsToStatus(std::vector<FieldError> problems) {
  if (problems.empty()) return {};
  std::string message;
  for (const FieldError& problem : problems) {
    if (!message.empty()) message += "; ";
    message += (problem.pointer.empty() ? "the document" : problem.pointer) + " " + problem.detail;
    if (message.size() > 500) {
      message += "; …";
      break;
    }
  }
  return Fail(Error(ErrorCode::kInvalidArgument, std::move(message), std::move(problems)));
}

}  // namespace mlprof
