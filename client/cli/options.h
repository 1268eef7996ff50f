// A small declarative parser of command-line options. Long and short spellings, `--opt=value`,
// repeated options, `--` before operands. No access to the outside.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result/result.h"

namespace mlprof::client::cli {

/// The least that Options::Number gives where zero makes no sense.
inline constexpr double kAboveZero = std::numeric_limits<double>::min();

struct OptionSpec {
  std::vector<std::string> names;  // the first is the one messages and code use: {"--cpu", "-c"}
  std::string value;               // its value in the help ("CORES"); "" is a flag
  std::string help;
  bool repeated = false;  // else the last one given counts
};

class Options {
 public:
  bool Has(const std::string& name) const { return values_.contains(name); }
  /// "" where it was not given.
  std::string Text(const std::string& name) const;
  std::vector<std::string> All(const std::string& name) const;
  /// kInvalidArgument naming the option where its value is no number, or below `low`.
  Result<std::optional<double>> Number(const std::string& name, double low) const;
  Result<std::optional<std::int64_t>> Integer(const std::string& name, std::int64_t low) const;
  /// Every `K=V` of a repeated option.
  Result<std::map<std::string, std::string>> Pairs(const std::string& name) const;

  const std::vector<std::string>& operands() const { return operands_; }

  void Add(const std::string& name, std::string value) {
    values_[name].push_back(std::move(value));
  }
  void AddOperand(std::string operand) { operands_.push_back(std::move(operand)); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> operands_;
};

/// kInvalidArgument for an unknown option (with the nearest one) and for a missing or unwanted
/// value.
Result<Options> ParseOptions(const std::vector<OptionSpec>& specs,
                             const std::vector<std::string>& arguments);

/// The candidate that `word` was most likely meant to be; "" where none is near.
std::string Nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace mlprof::client::cli
