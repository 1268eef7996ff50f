#include "client/cli/options.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace mlprof::client::cli {
namespace {

const OptionSpec* FindSpec(const std::vector<OptionSpec>& specs, const std::string& name) {
  for (const OptionSpec& spec : specs) {
    if (std::find(spec.names.begin(), spec.names.end(), name) != spec.names.end()) return &spec;
  }
  return nullptr;
}

Error Unknown(const std::vector<OptionSpec>& specs, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : specs) {
    known.insert(known.end(), spec.names.begin(), spec.names.end());
  }
  const std::string nearest = Nearest(name, known);
  return InvalidArgument("unknown option " + name +
                         (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
}

std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// How many leading bytes are whole words that both begin with: they say nothing about how near the
// rest is.
std::size_t SharedWords(const std::string& a, const std::string& b) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
    if (a[i] == ' ') shared = i + 1;
  }
  return shared;
}

template <class T>
Result<std::optional<T>> Parse(const Options& options, const std::string& name, T low,
                               const char* kind) {
  if (!options.Has(name)) return std::optional<T>();
  const std::string text = options.Text(name);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low)) {
    return Fail(InvalidArgument(name + " must be " + kind + ", not '" + text + "'"));
  }
  return std::optional<T>(value);
}

}  // namespace

std::string Options::Text(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? "" : found->second.back();
}

std::vector<std::string> Options::All(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<std::optional<double>> Options::Number(const std::string& name, double low) const {
  auto value = Parse<double>(*this, name, low, low > 0 ? "a number above 0" : "a number from 0");
  if (value && *value && **value > 1e15) return Fail(InvalidArgument(name + " is too large"));
  return value;
}

Result<std::optional<std::int64_t>> Options::Integer(const std::string& name,
                                                     std::int64_t low) const {
  const std::string kind = "a whole number from " + std::to_string(low);
  return Parse<std::int64_t>(*this, name, low, kind.c_str());
}

Result<std::map<std::string, std::string>> Options::Pairs(const std::string& name) const {
  std::map<std::string, std::string> pairs;
  for (const std::string& text : All(name)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Fail(InvalidArgument(name + " must be KEY=VALUE, not '" + text + "'"));
    }
    pairs[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return pairs;
}

Result<Options> ParseOptions(const std::vector<OptionSpec>& specs,
                             const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      for (++i; i < arguments.size(); ++i) options.AddOperand(arguments[i]);
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      options.AddOperand(argument);
      continue;
    }
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string name = argument.substr(0, equals);
    const OptionSpec* spec = FindSpec(specs, name);
    if (spec == nullptr) return Fail(Unknown(specs, name));
    if (spec->value.empty()) {
      if (equals != std::string::npos) return Fail(InvalidArgument(name + " takes no value"));
      options.Add(spec->names.front(), "");
    } else if (equals != std::string::npos) {
      options.Add(spec->names.front(), argument.substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      options.Add(spec->names.front(), arguments[++i]);
    } else {
      return Fail(InvalidArgument(name + " needs a value (" + spec->value + ")"));
    }
  }
  return options;
}

std::string Nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::string::npos;
  for (const std::string& candidate : candidates) {
    const std::size_t shared = SharedWords(word, candidate);
    const std::string given = word.substr(shared);
    const std::string meant = candidate.substr(shared);
    const std::size_t distance = EditDistance(given, meant);
    const std::size_t most = std::max<std::size_t>(2, given.size() / 3);
    if (distance <= most && distance < meant.size() && distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace mlprof::client::cli
