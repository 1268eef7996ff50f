#include "client/cli/azure/query.h"

#include <charconv>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/ascii.h"

namespace mlprof::client::cli {
namespace {

struct Step {
  enum class Kind { kMember, kIndex, kEach, kFlatten };
  Kind kind = Kind::kMember;
  std::string name;
  int index = 0;  // from the end where it is negative
};

bool IsNameCharacter(char c) { return IsAlnum(c) || c == '_'; }

class QueryReader {
 public:
  explicit QueryReader(std::string_view text) : text_(text) {}

  Result<std::vector<Step>> Read() {
    std::vector<Step> steps;
    while (at_ < text_.size()) {
      MLPROF_LET(step, text_[at_] == '[' ? Bracket() : Member(steps.empty()));
      steps.push_back(std::move(step));
    }
    if (steps.empty()) return Refuse();
    return steps;
  }

 private:
  tl::unexpected<Error> Refuse() const {
    return Fail(InvalidArgument(
        "--query understands names, [N] and [], as in id, [0].id or [].name; not '" +
        std::string(text_) + "'"));
  }

  Result<Step> Bracket() {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) return Refuse();
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (inside.empty()) return Step{Step::Kind::kFlatten, "", 0};
    if (inside == "*") return Step{Step::Kind::kEach, "", 0};
    Step step{Step::Kind::kIndex, "", 0};
    const char* last = inside.data() + inside.size();
    const auto [stop, error] = std::from_chars(inside.data(), last, step.index);
    if (error != std::errc() || stop != last) return Refuse();
    return step;
  }

  Result<Step> Member(bool first) {
    if (!first && text_[at_++] != '.') return Refuse();
    if (at_ < text_.size() && text_[at_] == '"') return Quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
    if (at_ == begin) return Refuse();
    return Step{Step::Kind::kMember, std::string(text_.substr(begin, at_ - begin)), 0};
  }

  Result<Step> Quoted() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) return Refuse();
    Step step{Step::Kind::kMember, std::string(text_.substr(at_ + 1, end - at_ - 1)), 0};
    at_ = end + 1;
    return step;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Json Evaluate(const Json& value, std::span<const Step> steps);

// What the rest of the query finds in each item; nothing found leaves nothing.
Json EvaluateEach(const Json& value, const Step& step, std::span<const Step> rest) {
  if (!value.is_array()) return nullptr;
  Json found = Json::array();
  const auto add = [&](const Json& item) {
    Json one = Evaluate(item, rest);
    if (!one.is_null()) found.push_back(std::move(one));
  };
  for (const Json& item : value) {
    if (step.kind == Step::Kind::kFlatten && item.is_array()) {
      for (const Json& inner : item) add(inner);
    } else {
      add(item);
    }
  }
  return found;
}

Json MemberOf(const Json& value, const std::string& name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? Json() : *found;
}

Json ItemOf(const Json& value, int index) {
  if (!value.is_array()) return nullptr;
  const int size = static_cast<int>(value.size());
  const int place = index < 0 ? size + index : index;
  return place < 0 || place >= size ? Json() : value[static_cast<std::size_t>(place)];
}

Json Evaluate(const Json& value, std::span<const Step> steps) {
  if (steps.empty()) return value;
  const Step& step = steps.front();
  const std::span<const Step> rest = steps.subspan(1);
  switch (step.kind) {
    case Step::Kind::kMember: return Evaluate(MemberOf(value, step.name), rest);
    case Step::Kind::kIndex: return Evaluate(ItemOf(value, step.index), rest);
    case Step::Kind::kEach:
    case Step::Kind::kFlatten: return EvaluateEach(value, step, rest);
  }
  return nullptr;
}

}  // namespace

Result<Json> ApplyQuery(const std::string& query, const Json& value) {
  MLPROF_LET(steps, QueryReader(query).Read());
  return Evaluate(value, steps);
}

}  // namespace mlprof::client::cli
