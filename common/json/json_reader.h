// Reads the members of one JSON object and collects every problem under its JSON pointer, instead
// of stopping at the first. Borrows the JSON and the list of problems; used within one function.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/json/field_checks.h"
#include "common/json/json.h"
#include "common/result/result.h"

namespace mlprof {

/// Whether `null` stands for an absent member or is a value of the wrong type.
enum class Null { kRefused, kAbsent };

/// What is said of an unknown member: that it is one, or what is known beside it.
enum class Unknown { kNamed, kWithAllowed };

/// Both ends belong to the range.
struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

struct NumberRange {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  bool low_excluded = false;
};

class JsonReader {
 public:
  /// kRequest: ranges and checks apply, unknown members are problems. kResource: what was stored or
  /// what a trusted server said; only types matter, and null is always absent.
  enum class Mode { kRequest, kResource };

  /// `pointer` is where `json` stands in the whole document ("" is the document itself).
  JsonReader(const Json& json, std::string pointer, Mode mode, std::vector<FieldError>& problems);

  std::optional<std::string> String(std::string_view key, TextCheck check = nullptr);
  std::optional<int> Integer(std::string_view key, IntegerRange range = {},
                             Null null = Null::kRefused);
  std::optional<std::int64_t> BigInteger(std::string_view key, IntegerRange range = {});
  std::optional<double> Number(std::string_view key, NumberRange range = {},
                               Null null = Null::kRefused);
  std::optional<bool> Boolean(std::string_view key);
  std::optional<std::vector<std::string>> Strings(std::string_view key, TextCheck check = nullptr);
  std::optional<std::map<std::string, std::string>> StringMap(std::string_view key,
                                                              TextCheck key_check = nullptr,
                                                              TextCheck value_check = nullptr);
  /// The member as an object to be read on; absent where it is missing or no object.
  std::optional<JsonReader> Object(std::string_view key, Null null = Null::kRefused);
  /// The members of a list of objects, each to be read on; an item that is none is a problem.
  std::vector<JsonReader> Objects(std::string_view key);
  std::optional<std::vector<std::int64_t>> BigIntegers(std::string_view key);
  /// The member's value, whatever its type; nullptr where it is absent.
  const Json* Find(std::string_view key, Null null = Null::kRefused);

  /// Reports `key` as missing if it is not there at all. Returns whether it is there.
  bool Require(std::string_view key);
  bool Has(std::string_view key) const;
  /// The keys of the object, in order; each counts as known from now on.
  std::vector<std::string> Keys();
  void Problem(std::string_view key, std::string detail);
  std::string PointerTo(std::string_view key) const;
  const std::string& pointer() const { return pointer_; }
  Mode mode() const { return mode_; }

  /// To be called last: every member that nothing asked for is a problem (in requests).
  void RefuseUnknown(Unknown how = Unknown::kNamed);

 private:
  std::optional<std::int64_t> WholeNumber(std::string_view key, IntegerRange range,
                                          IntegerRange type, Null null);
  void Check(const std::string& pointer, const std::string& text, TextCheck check);

  const Json* json_;  // null where the value was no object
  std::string pointer_;
  Mode mode_;
  std::vector<FieldError>* problems_;
  std::set<std::string, std::less<>> known_;
};

/// Overwrites `into` where there is a value, so that defaults stay where there is none.
template <class T, class U>
void Assign(T& into, std::optional<U> value) {
  if (value) into = std::move(*value);
}

/// "/a/b" and "c/d" give "/a/b/c~1d" (RFC 6901).
std::string JoinPointer(std::string_view pointer, std::string_view key);
std::string JoinPointer(std::string_view pointer, std::size_t index);

/// kInvalidArgument with all the problems, or no error where there are none.
Status ProblemsToStatus(std::vector<FieldError> problems);

}  // namespace mlprof
